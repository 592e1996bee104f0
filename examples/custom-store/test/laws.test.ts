import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as ApiKeyStoreLaws from "@surety/testing/ApiKeyStoreLaws"
import * as ConsumerStoreLaws from "@surety/testing/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/EventLogLaws"
import * as LedgerLaws from "@surety/testing/LedgerLaws"
import * as MerchantStoreLaws from "@surety/testing/MerchantStoreLaws"
import * as PaymentStoreLaws from "@surety/testing/PaymentStoreLaws"
import * as RefundStoreLaws from "@surety/testing/RefundStoreLaws"
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
