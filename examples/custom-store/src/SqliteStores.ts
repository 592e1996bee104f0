import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { Layer } from "effect"
import type { Database } from "./Database.ts"
import * as SqliteApiKeyStore from "./SqliteApiKeyStore.ts"
import * as SqliteConsumerStore from "./SqliteConsumerStore.ts"
import * as SqliteDeliveryQueue from "./SqliteDeliveryQueue.ts"
import * as SqliteEventLog from "./SqliteEventLog.ts"
import * as SqliteLedger from "./SqliteLedger.ts"
import * as SqliteMerchantStore from "./SqliteMerchantStore.ts"
import * as SqlitePaymentStore from "./SqlitePaymentStore.ts"
import * as SqliteRefundStore from "./SqliteRefundStore.ts"
import * as SqliteWebhookEndpointStore from "./SqliteWebhookEndpointStore.ts"

/** The storage ports that are there. */
export type SqliteStores =
  | ApiKeyStore
  | ConsumerStore
  | DeliveryQueue
  | EventLog
  | Ledger
  | MerchantStore
  | PaymentStore
  | RefundStore
  | WebhookEndpointStore

/** They share one file: what one writes is in the transaction of what another reads. */
export const layer: Layer.Layer<SqliteStores, never, Database | DeliverySignal> = Layer.mergeAll(
  SqliteApiKeyStore.layer,
  SqliteConsumerStore.layer,
  SqliteDeliveryQueue.layer,
  SqliteEventLog.layer,
  SqliteLedger.layer,
  SqliteMerchantStore.layer,
  SqlitePaymentStore.layer,
  SqliteRefundStore.layer,
  SqliteWebhookEndpointStore.layer
)
