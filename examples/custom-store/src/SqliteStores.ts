import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import { Layer } from "effect"
import type { Database } from "./Database.ts"
import * as SqliteApiKeyStore from "./SqliteApiKeyStore.ts"
import * as SqliteCodeChallengeStore from "./SqliteCodeChallengeStore.ts"
import * as SqliteConsentLog from "./SqliteConsentLog.ts"
import * as SqliteConsentStore from "./SqliteConsentStore.ts"
import * as SqliteConsentUpkeep from "./SqliteConsentUpkeep.ts"
import * as SqliteConsumerStore from "./SqliteConsumerStore.ts"
import * as SqliteDeliveryQueue from "./SqliteDeliveryQueue.ts"
import * as SqliteEventLog from "./SqliteEventLog.ts"
import * as SqliteKeyCanaryStore from "./SqliteKeyCanaryStore.ts"
import * as SqliteKycStore from "./SqliteKycStore.ts"
import * as SqliteLedger from "./SqliteLedger.ts"
import * as SqliteManagementLinkStore from "./SqliteManagementLinkStore.ts"
import * as SqliteMerchantStore from "./SqliteMerchantStore.ts"
import * as SqlitePaymentStore from "./SqlitePaymentStore.ts"
import * as SqliteRateLimitStore from "./SqliteRateLimitStore.ts"
import * as SqliteReadiness from "./SqliteReadiness.ts"
import * as SqliteRefundStore from "./SqliteRefundStore.ts"
import * as SqliteVerificationLog from "./SqliteVerificationLog.ts"
import * as SqliteWebhookEndpointStore from "./SqliteWebhookEndpointStore.ts"

/** Every port behind which records are kept. They share one file, and a verb of one may read what is another's. */
export const layer: Layer.Layer<StorePorts, never, Database | DeliverySignal> = Layer.mergeAll(
  SqliteApiKeyStore.layer,
  SqliteCodeChallengeStore.layer,
  SqliteConsentLog.layer,
  SqliteConsentStore.layer,
  SqliteConsentUpkeep.layer,
  SqliteConsumerStore.layer,
  SqliteDeliveryQueue.layer,
  SqliteEventLog.layer,
  SqliteKeyCanaryStore.layer,
  SqliteKycStore.layer,
  SqliteLedger.layer,
  SqliteManagementLinkStore.layer,
  SqliteMerchantStore.layer,
  SqlitePaymentStore.layer,
  SqliteRateLimitStore.layer,
  SqliteReadiness.layer,
  SqliteRefundStore.layer,
  SqliteVerificationLog.layer,
  SqliteWebhookEndpointStore.layer
)
