import type { PgClient } from "@effect/sql-pg/PgClient"
import type { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { KycStore } from "@surety/core/kyc/KycStore"
import type { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import type { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import { Layer } from "effect"
import * as PgCodeChallengeStore from "./consent/PgCodeChallengeStore.js"
import * as PgConsentLog from "./consent/PgConsentLog.js"
import * as PgConsentStore from "./consent/PgConsentStore.js"
import * as PgConsentUpkeep from "./consent/PgConsentUpkeep.js"
import * as PgManagementLinkStore from "./consent/PgManagementLinkStore.js"
import * as PgConsumerStore from "./consumer/PgConsumerStore.js"
import * as PgDeliveryQueue from "./event/PgDeliveryQueue.js"
import * as PgEventLog from "./event/PgEventLog.js"
import * as PgWebhookEndpointStore from "./event/PgWebhookEndpointStore.js"
import * as PgKycStore from "./kyc/PgKycStore.js"
import * as PgVerificationLog from "./kyc/PgVerificationLog.js"
import * as PgLedger from "./ledger/PgLedger.js"
import * as PgRateLimitStore from "./limit/PgRateLimitStore.js"
import * as PgApiKeyStore from "./merchant/PgApiKeyStore.js"
import * as PgMerchantStore from "./merchant/PgMerchantStore.js"
import * as PgPaymentStore from "./payment/PgPaymentStore.js"
import * as PgRefundStore from "./refund/PgRefundStore.js"
import * as PgKeyCanaryStore from "./secret/PgKeyCanaryStore.js"

/** Every storage port of the core. */
export type PgStores =
  | ApiKeyStore
  | CodeChallengeStore
  | ConsentLog
  | ConsentStore
  | ConsentUpkeep
  | ConsumerStore
  | DeliveryQueue
  | EventLog
  | KeyCanaryStore
  | KycStore
  | Ledger
  | ManagementLinkStore
  | MerchantStore
  | PaymentStore
  | RateLimitStore
  | RefundStore
  | VerificationLog
  | WebhookEndpointStore

/**
 * Every storage port of the core on PostgreSQL 15 or newer, or on the embedded `PgliteDatabase`. The tables are made by
 * `PgMigrations`.
 *
 * A verb that is called inside `sql.withTransaction` of the same client takes part in that transaction.
 */
export const layer: Layer.Layer<PgStores, never, PgClient | DeliverySignal> = Layer.mergeAll(
  PgApiKeyStore.layer,
  PgCodeChallengeStore.layer,
  PgConsentLog.layer,
  PgConsentStore.layer,
  PgConsentUpkeep.layer,
  PgConsumerStore.layer,
  PgDeliveryQueue.layer,
  PgEventLog.layer,
  PgKeyCanaryStore.layer,
  PgKycStore.layer,
  PgLedger.layer,
  PgManagementLinkStore.layer,
  PgMerchantStore.layer,
  PgPaymentStore.layer,
  PgRateLimitStore.layer,
  PgRefundStore.layer,
  PgVerificationLog.layer,
  PgWebhookEndpointStore.layer
)
