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
import * as PgApiKeyStore from "./PgApiKeyStore.js"
import * as PgCodeChallengeStore from "./PgCodeChallengeStore.js"
import * as PgConsentLog from "./PgConsentLog.js"
import * as PgConsentStore from "./PgConsentStore.js"
import * as PgConsentUpkeep from "./PgConsentUpkeep.js"
import * as PgConsumerStore from "./PgConsumerStore.js"
import * as PgDeliveryQueue from "./PgDeliveryQueue.js"
import * as PgEventLog from "./PgEventLog.js"
import * as PgKeyCanaryStore from "./PgKeyCanaryStore.js"
import * as PgKycStore from "./PgKycStore.js"
import * as PgLedger from "./PgLedger.js"
import * as PgManagementLinkStore from "./PgManagementLinkStore.js"
import * as PgMerchantStore from "./PgMerchantStore.js"
import * as PgPaymentStore from "./PgPaymentStore.js"
import * as PgRateLimitStore from "./PgRateLimitStore.js"
import * as PgRefundStore from "./PgRefundStore.js"
import * as PgVerificationLog from "./PgVerificationLog.js"
import * as PgWebhookEndpointStore from "./PgWebhookEndpointStore.js"

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
