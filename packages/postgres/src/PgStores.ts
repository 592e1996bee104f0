import type { PgClient } from "@effect/sql-pg/PgClient"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import { Layer } from "effect"
import * as PgCodeChallengeStore from "./consent/PgCodeChallengeStore.js"
import * as PgConsentLog from "./consent/PgConsentLog.js"
import * as PgConsentStore from "./consent/PgConsentStore.js"
import * as PgConsentUpkeep from "./consent/PgConsentUpkeep.js"
import * as PgManagementLinkStore from "./consent/PgManagementLinkStore.js"
import * as PgConsumerStore from "./consumer/PgConsumerStore.js"
import * as PgDeliveryQueue from "./event/delivery/PgDeliveryQueue.js"
import * as PgEventLog from "./event/PgEventLog.js"
import * as PgPlatformFeed from "./event/PgPlatformFeed.js"
import * as PgWebhookEndpointStore from "./event/PgWebhookEndpointStore.js"
import * as PgHostRequestStore from "./host/PgHostRequestStore.js"
import * as PgKycStore from "./kyc/PgKycStore.js"
import * as PgVerificationLog from "./kyc/PgVerificationLog.js"
import * as PgAuditRunStore from "./ledger/PgAuditRunStore.js"
import * as PgLedger from "./ledger/PgLedger.js"
import * as PgOperatorTransferStore from "./ledger/PgOperatorTransferStore.js"
import * as PgRateLimitStore from "./limit/PgRateLimitStore.js"
import * as PgApiKeyStore from "./merchant/PgApiKeyStore.js"
import * as PgMerchantStore from "./merchant/PgMerchantStore.js"
import * as PgOperatorActionStore from "./operator/PgOperatorActionStore.js"
import * as PgOperatorSessionStore from "./operator/PgOperatorSessionStore.js"
import * as PgProposalStore from "./operator/PgProposalStore.js"
import * as PgOverviewLog from "./overview/PgOverviewLog.js"
import * as PgPartitions from "./PgPartitions.js"
import * as PgReadiness from "./PgReadiness.js"
import * as PgPaymentStore from "./payment/PgPaymentStore.js"
import * as PgPersonLog from "./person/PgPersonLog.js"
import * as PgPersonStore from "./person/PgPersonStore.js"
import * as PgRightsRequestStore from "./person/PgRightsRequestStore.js"
import * as PgRefundStore from "./refund/PgRefundStore.js"
import * as PgRequestStore from "./request/PgRequestStore.js"
import * as PgRetentionStore from "./retention/PgRetentionStore.js"
import * as PgSandboxStore from "./sandbox/PgSandboxStore.js"
import * as PgSearchIndex from "./search/PgSearchIndex.js"
import * as PgKeyCanaryStore from "./secret/PgKeyCanaryStore.js"

/**
 * Provides every storage port of core on PostgreSQL 15 or newer, or on the embedded `PgliteDatabase`. `PgMigrations`
 * creates the tables.
 *
 * A store method called inside `sql.withTransaction` of the same client joins that transaction.
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
  PgHostRequestStore.layer,
  PgKeyCanaryStore.layer,
  PgKycStore.layer,
  PgLedger.layer,
  PgManagementLinkStore.layer,
  PgMerchantStore.layer,
  PgOperatorActionStore.layer,
  PgOperatorTransferStore.layer,
  PgPaymentStore.layer,
  PgPersonLog.layer,
  PgPersonStore.layer,
  PgPlatformFeed.layer,
  PgRateLimitStore.layer,
  PgReadiness.layer,
  PgRefundStore.layer,
  PgRetentionStore.layer,
  PgRightsRequestStore.layer,
  PgRequestStore.layer,
  PgSandboxStore.layer,
  PgVerificationLog.layer,
  PgWebhookEndpointStore.layer,
  PgOperatorSessionStore.layer,
  PgProposalStore.layer,
  PgSearchIndex.layer,
  PgOverviewLog.layer,
  PgAuditRunStore.layer,
  PgPartitions.layerUpkeep
)
