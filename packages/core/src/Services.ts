import { Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { UnknownConsumerLimit } from "./consent/asking/UnknownConsumerLimit.js"
import type { ConsentLog } from "./consent/ConsentLog.js"
import type { ConsentStore } from "./consent/ConsentStore.js"
import * as Consents from "./consent/Consents.js"
import type { ConsentUpkeep } from "./consent/ConsentUpkeep.js"
import type { ConsentLinks } from "./consent/link/ConsentUrls.js"
import type { ManagementLinkStore } from "./consent/link/ManagementLinkStore.js"
import type { ConsentNotifier } from "./consent/notification/ConsentNotifier.js"
import type { ConsumerDirectory } from "./consumer/ConsumerDirectory.js"
import type { ConsumerStore } from "./consumer/ConsumerStore.js"
import * as Consumers from "./consumer/Consumers.js"
import * as EndpointEvents from "./event/EndpointEvents.js"
import type { EventLog } from "./event/EventLog.js"
import type { TargetPolicy } from "./event/TargetPolicy.js"
import type { WebhookEndpointStore } from "./event/WebhookEndpointStore.js"
import * as WebhookEndpoints from "./event/WebhookEndpoints.js"
import type { Responses } from "./idempotency/Responses.js"
import type { KycStore } from "./kyc/KycStore.js"
import type { KycProviders } from "./kyc/provider/KycProviders.js"
import type { VerificationLog } from "./kyc/verification/VerificationLog.js"
import type { VerificationResults } from "./kyc/verification/VerificationResults.js"
import * as Verifications from "./kyc/verification/Verifications.js"
import * as LeasedRateLimiter from "./limit/LeasedRateLimiter.js"
import type { RateLimiter } from "./limit/RateLimiter.js"
import type { RateLimitStore } from "./limit/RateLimitStore.js"
import type { ApiKeyStore } from "./merchant/ApiKeyStore.js"
import * as ApiKeys from "./merchant/ApiKeys.js"
import * as KeyHolders from "./merchant/KeyHolders.js"
import type { MerchantStore } from "./merchant/MerchantStore.js"
import * as Merchants from "./merchant/Merchants.js"
import type { PaymentStore } from "./payment/PaymentStore.js"
import * as Payments from "./payment/Payments.js"
import type { HostRefunds } from "./refund/HostRefunds.js"
import type { RefundStore } from "./refund/RefundStore.js"
import * as Refunds from "./refund/Refunds.js"
import type { Wallet } from "./refund/Wallet.js"
import type { Keyring } from "./secret/Keyring.js"

/** What a merchant, an operator and a host can ask of Surety, and what `VerificationRecovery` works with. */
export type Services =
  | Merchants.Merchants
  | ApiKeys.ApiKeys
  | WebhookEndpoints.WebhookEndpoints
  | EndpointEvents.EndpointEvents
  | Consumers.Consumers
  | Payments.Payments
  | Refunds.Refunds
  | Consents.Consents
  | RateLimiter
  | Verifications.Verifications
  | VerificationResults

/** The ports behind which the services' records are stored. */
export type Stores =
  | MerchantStore
  | ApiKeyStore
  | WebhookEndpointStore
  | EventLog
  | ConsumerStore
  | PaymentStore
  | RefundStore
  | ConsentStore
  | ConsentLog
  | ConsentUpkeep
  | ManagementLinkStore
  | RateLimitStore
  | KycStore
  | VerificationLog

/** What consent asks of a host: what is known of people, and how they are reached. */
type PeopleNeeds = ConsumerDirectory | ConsentNotifier | ConsentLinks | UnknownConsumerLimit

type Needs =
  | Stores
  | PeopleNeeds
  | TargetPolicy
  | KycProviders
  | Keyring
  | Responses
  | Digest.Digest
  | SecureRandom.SecureRandom

const withoutRefunds = Layer.mergeAll(
  Merchants.layer,
  ApiKeys.layer,
  Layer.provideMerge(EndpointEvents.layer, WebhookEndpoints.layer),
  Consumers.layer,
  Payments.layer,
  Consents.layer,
  LeasedRateLimiter.layer,
  Verifications.layer
).pipe(Layer.provide(KeyHolders.layer))

/** Every service over the given ports, with this ledger as the customers' wallet. */
export const layer: Layer.Layer<Services, never, Needs> = Layer.merge(withoutRefunds, Refunds.layer)

/**
 * The same with a host's own wallet. Run `RefundRecovery.layer` beside it, which finishes the refunds that a crash left
 * between the two.
 */
export const layerHostWallet: Layer.Layer<Services | HostRefunds, never, Needs | Wallet> = Layer.merge(
  withoutRefunds,
  Refunds.layerHostWallet
)
