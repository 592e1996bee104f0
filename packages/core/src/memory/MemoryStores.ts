import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import type { DeliverySignal } from "../event/DeliverySignal.js"
import { Readiness } from "../Readiness.js"
import type { StorePorts } from "../StorePorts.js"
import * as MemoryApiKeyStore from "./MemoryApiKeyStore.js"
import * as MemoryCodeChallengeStore from "./MemoryCodeChallengeStore.js"
import * as MemoryConsentLog from "./MemoryConsentLog.js"
import * as MemoryConsentStore from "./MemoryConsentStore.js"
import * as MemoryConsentUpkeep from "./MemoryConsentUpkeep.js"
import * as MemoryConsumerStore from "./MemoryConsumerStore.js"
import * as MemoryDeliveryQueue from "./MemoryDeliveryQueue.js"
import * as MemoryEventLog from "./MemoryEventLog.js"
import * as MemoryKeyCanaryStore from "./MemoryKeyCanaryStore.js"
import * as MemoryKycStore from "./MemoryKycStore.js"
import * as MemoryLedger from "./MemoryLedger.js"
import * as MemoryManagementLinkStore from "./MemoryManagementLinkStore.js"
import * as MemoryMerchantStore from "./MemoryMerchantStore.js"
import * as MemoryPaymentStore from "./MemoryPaymentStore.js"
import * as MemoryRateLimitStore from "./MemoryRateLimitStore.js"
import * as MemoryRefundStore from "./MemoryRefundStore.js"
import * as MemoryState from "./MemoryState.js"
import * as MemoryVerificationLog from "./MemoryVerificationLog.js"
import * as MemoryWebhookEndpointStore from "./MemoryWebhookEndpointStore.js"

/** Every storage port over a state that the caller keeps, to look into or to break. */
export const layerOver: Layer.Layer<StorePorts, never, MemoryState.MemoryState | DeliverySignal> = Layer.mergeAll(
  MemoryMerchantStore.layer,
  MemoryApiKeyStore.layer,
  MemoryConsumerStore.layer,
  MemoryPaymentStore.layer,
  MemoryRefundStore.layer,
  Layer.provide(MemoryConsentStore.layer, Digest.layerWebCrypto),
  MemoryConsentLog.layer,
  MemoryConsentUpkeep.layer,
  MemoryManagementLinkStore.layer,
  MemoryCodeChallengeStore.layer,
  Layer.provide(MemoryKycStore.layer, Digest.layerWebCrypto),
  MemoryVerificationLog.layer,
  MemoryWebhookEndpointStore.layer,
  MemoryDeliveryQueue.layer,
  MemoryEventLog.layer,
  MemoryLedger.layer,
  MemoryRateLimitStore.layer,
  MemoryKeyCanaryStore.layer,
  Layer.succeed(Readiness, { check: Effect.void })
)

/** Every storage port over one state in memory, empty at the start and gone with the process. For tests and trials. */
export const layer: Layer.Layer<StorePorts, never, DeliverySignal> = Layer.provide(layerOver, MemoryState.layer)
