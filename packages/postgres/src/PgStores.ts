import type { PgClient } from "@effect/sql-pg/PgClient"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
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
import * as PgReadiness from "./PgReadiness.js"
import * as PgRefundStore from "./PgRefundStore.js"
import * as PgVerificationLog from "./PgVerificationLog.js"
import * as PgWebhookEndpointStore from "./PgWebhookEndpointStore.js"

/**
 * Every storage port of the core on PostgreSQL 15 or newer, or on the embedded `PgliteDatabase`. The tables are made by
 * `PgMigrations`.
 *
 * A verb that is called inside `sql.withTransaction` of the same client takes part in that transaction.
 */
export const layer: Layer.Layer<StorePorts, never, PgClient | DeliverySignal> = Layer.mergeAll(
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
  PgReadiness.layer,
  PgRefundStore.layer,
  PgVerificationLog.layer,
  PgWebhookEndpointStore.layer
)
