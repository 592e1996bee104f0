import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as CodeChallengeStoreLaws from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/consent/ConsentPersonLaws"
import * as ConsentStoreLaws from "@surety/testing/consent/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/consent/ConsentUpkeepLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/consent/ManagementLinkStoreLaws"
import * as ConsumerStoreLaws from "@surety/testing/consumer/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/event/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/event/EventLogLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/event/WebhookEndpointStoreLaws"
import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import * as VerificationLogLaws from "@surety/testing/kyc/VerificationLogLaws"
import * as LedgerLaws from "@surety/testing/ledger/LedgerLaws"
import * as RateLimitStoreLaws from "@surety/testing/limit/RateLimitStoreLaws"
import * as ApiKeyStoreLaws from "@surety/testing/merchant/ApiKeyStoreLaws"
import * as MerchantStoreLaws from "@surety/testing/merchant/MerchantStoreLaws"
import * as PaymentStoreLaws from "@surety/testing/payment/PaymentStoreLaws"
import * as RefundStoreLaws from "@surety/testing/refund/RefundStoreLaws"
import * as KeyCanaryStoreLaws from "@surety/testing/secret/KeyCanaryStoreLaws"
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
