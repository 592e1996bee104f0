import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as ApiKeyStoreLaws from "@surety/testing/ApiKeyStoreLaws"
import * as CodeChallengeStoreLaws from "@surety/testing/CodeChallengeStoreLaws"
import * as ConsentLogLaws from "@surety/testing/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/ConsentPersonLaws"
import * as ConsentStoreLaws from "@surety/testing/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/ConsentUpkeepLaws"
import * as ConsumerStoreLaws from "@surety/testing/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/EventLogLaws"
import * as KeyCanaryStoreLaws from "@surety/testing/KeyCanaryStoreLaws"
import * as KycStoreLaws from "@surety/testing/KycStoreLaws"
import * as LedgerLaws from "@surety/testing/LedgerLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/ManagementLinkStoreLaws"
import * as MerchantStoreLaws from "@surety/testing/MerchantStoreLaws"
import * as PaymentStoreLaws from "@surety/testing/PaymentStoreLaws"
import * as RateLimitStoreLaws from "@surety/testing/RateLimitStoreLaws"
import * as RefundStoreLaws from "@surety/testing/RefundStoreLaws"
import * as VerificationLogLaws from "@surety/testing/VerificationLogLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/WebhookEndpointStoreLaws"
import { Layer } from "effect"
import { afterAll } from "vitest"
import * as Database from "../src/Database.ts"
import * as SqliteStores from "../src/SqliteStores.ts"

const directory = mkdtempSync(join(tmpdir(), "custom-store-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** Every suite has a file of its own, on the disk as in production. */
const stores = (port: string) =>
  SqliteStores.layer.pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(Database.layer(join(directory, `${port}.sqlite`)))
  )

MerchantStoreLaws.suite("sqlite", stores("merchants"))
ApiKeyStoreLaws.suite("sqlite", stores("apiKeys"))
ConsumerStoreLaws.suite("sqlite", stores("consumers"))
PaymentStoreLaws.suite("sqlite", stores("payments"))
RefundStoreLaws.suite("sqlite", stores("refunds"))
LedgerLaws.suite("sqlite", stores("ledger"))
WebhookEndpointStoreLaws.suite("sqlite", stores("endpoints"))
EventLogLaws.suite("sqlite", stores("events"))
DeliveryQueueLaws.suite("sqlite", stores("deliveries"))
CodeChallengeStoreLaws.suite("sqlite", stores("CodeChallengeStore"))
ConsentLogLaws.suite("sqlite", stores("ConsentLog"))
ConsentPersonLaws.suite("sqlite", stores("ConsentPerson"))
ConsentStoreLaws.suite("sqlite", stores("ConsentStore"))
ConsentUpkeepLaws.suite("sqlite", stores("ConsentUpkeep"))
KeyCanaryStoreLaws.suite("sqlite", stores("KeyCanaryStore"))
KycStoreLaws.suite("sqlite", stores("KycStore"))
ManagementLinkStoreLaws.suite("sqlite", stores("ManagementLinkStore"))
RateLimitStoreLaws.suite("sqlite", stores("RateLimitStore"))
VerificationLogLaws.suite("sqlite", stores("VerificationLog"))
