import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import type { DeliverySignal } from "../event/DeliverySignal.js"
import { Readiness } from "../Readiness.js"
import type { StorePorts } from "../StorePorts.js"
import * as MemoryCodeChallengeStore from "./consent/MemoryCodeChallengeStore.js"
import * as MemoryConsentLog from "./consent/MemoryConsentLog.js"
import * as MemoryConsentStore from "./consent/MemoryConsentStore.js"
import * as MemoryConsentUpkeep from "./consent/MemoryConsentUpkeep.js"
import * as MemoryManagementLinkStore from "./consent/MemoryManagementLinkStore.js"
import * as MemoryConsumerStore from "./consumer/MemoryConsumerStore.js"
import * as MemoryDeliveryQueue from "./event/MemoryDeliveryQueue.js"
import * as MemoryEventLog from "./event/MemoryEventLog.js"
import * as MemoryPlatformFeed from "./event/MemoryPlatformFeed.js"
import * as MemoryWebhookEndpointStore from "./event/MemoryWebhookEndpointStore.js"
import * as MemoryHostRequestStore from "./host/MemoryHostRequestStore.js"
import * as MemoryKycStore from "./kyc/MemoryKycStore.js"
import * as MemoryVerificationLog from "./kyc/MemoryVerificationLog.js"
import * as MemoryAuditRunStore from "./ledger/MemoryAuditRunStore.js"
import * as MemoryLedger from "./ledger/MemoryLedger.js"
import * as MemoryOperatorTransferStore from "./ledger/MemoryOperatorTransferStore.js"
import * as MemoryRateLimitStore from "./limit/MemoryRateLimitStore.js"
import * as MemoryState from "./MemoryState.js"
import * as MemoryApiKeyStore from "./merchant/MemoryApiKeyStore.js"
import * as MemoryMerchantStore from "./merchant/MemoryMerchantStore.js"
import * as MemoryOperatorActionStore from "./operator/MemoryOperatorActionStore.js"
import * as MemoryOperatorSessionStore from "./operator/MemoryOperatorSessionStore.js"
import * as MemoryProposalStore from "./operator/MemoryProposalStore.js"
import * as MemoryOverviewLog from "./overview/MemoryOverviewLog.js"
import * as MemoryPaymentStore from "./payment/MemoryPaymentStore.js"
import * as MemoryPersonLog from "./person/MemoryPersonLog.js"
import * as MemoryPersonStore from "./person/MemoryPersonStore.js"
import * as MemoryRightsRequestStore from "./person/MemoryRightsRequestStore.js"
import * as MemoryRefundStore from "./refund/MemoryRefundStore.js"
import * as MemoryRequestStore from "./request/MemoryRequestStore.js"
import * as MemoryRetentionStore from "./retention/MemoryRetentionStore.js"
import * as MemorySandboxStore from "./sandbox/MemorySandboxStore.js"
import * as MemorySearchIndex from "./search/MemorySearchIndex.js"
import * as MemoryKeyCanaryStore from "./secret/MemoryKeyCanaryStore.js"

/**
 * Provides every storage port over the caller's state and digest. With an asynchronous digest, concurrent commits may
 * not be stored in the order in which they began.
 */
export const layerHashing: Layer.Layer<StorePorts, never, MemoryState.MemoryState | DeliverySignal | Digest.Digest> =
  Layer.mergeAll(
    MemoryMerchantStore.layer,
    MemoryApiKeyStore.layer,
    MemoryConsumerStore.layer,
    MemoryPaymentStore.layer,
    MemoryRefundStore.layer,
    MemoryConsentStore.layer,
    MemoryConsentLog.layer,
    MemoryConsentUpkeep.layer,
    MemoryManagementLinkStore.layer,
    MemoryCodeChallengeStore.layer,
    MemoryKycStore.layer,
    MemoryVerificationLog.layer,
    MemoryWebhookEndpointStore.layer,
    MemoryDeliveryQueue.layer,
    MemoryEventLog.layer,
    MemoryPlatformFeed.layer,
    MemoryLedger.layer,
    MemoryRateLimitStore.layer,
    MemoryOperatorActionStore.layer,
    MemoryKeyCanaryStore.layer,
    MemoryPersonStore.layer,
    MemoryPersonLog.layer,
    MemoryRightsRequestStore.layer,
    MemoryRetentionStore.layer,
    MemoryOperatorTransferStore.layer,
    MemorySandboxStore.layer,
    MemoryRequestStore.layer,
    MemoryHostRequestStore.layer,
    MemoryOperatorSessionStore.layer,
    MemoryProposalStore.layer,
    MemorySearchIndex.layer,
    MemoryOverviewLog.layer,
    MemoryAuditRunStore.layer,
    Layer.succeed(Readiness, { check: Effect.void })
  )

/**
 * Provides every storage port over the caller's state, which the caller can inspect or corrupt. Hashes with Web Crypto.
 */
export const layerOver: Layer.Layer<StorePorts, never, MemoryState.MemoryState | DeliverySignal> = Layer.provide(
  layerHashing,
  Digest.layerWebCrypto
)

/**
 * Provides every storage port over one in-memory state, empty at the start and lost with the process. For tests and
 * trials.
 */
export const layer: Layer.Layer<StorePorts, never, DeliverySignal> = Layer.provide(layerOver, MemoryState.layer)
