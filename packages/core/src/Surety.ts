import { Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import * as ConsumerAuthenticator from "./consent/admission/ConsumerAuthenticator.js"
import * as LinkGuessLimit from "./consent/admission/LinkGuessLimit.js"
import * as UnknownConsumerLimit from "./consent/asking/UnknownConsumerLimit.js"
import * as ConsentServices from "./consent/ConsentServices.js"
import * as ConsentSweeper from "./consent/ConsentSweeper.js"
import type { ConsentUrls } from "./consent/link/ConsentUrls.js"
import * as PersonConsents from "./consent/link/PersonConsents.js"
import * as ConsentNotifier from "./consent/notification/ConsentNotifier.js"
import * as Receipts from "./consent/receipt/Receipts.js"
import * as ConsumerChanges from "./consumer/ConsumerChanges.js"
import * as ConsumerDirectory from "./consumer/ConsumerDirectory.js"
import * as Consumers from "./consumer/Consumers.js"
import * as DeliverySignal from "./event/DeliverySignal.js"
import * as EndpointEvents from "./event/EndpointEvents.js"
import type { TargetPolicy } from "./event/TargetPolicy.js"
import * as WebhookEndpoints from "./event/WebhookEndpoints.js"
import * as HostRequests from "./host/HostRequests.js"
import type { Responses } from "./idempotency/Responses.js"
import * as KycProviders from "./kyc/provider/KycProviders.js"
import * as VerificationRecovery from "./kyc/verification/VerificationRecovery.js"
import * as Verifications from "./kyc/verification/Verifications.js"
import * as Audits from "./ledger/Audits.js"
import * as OperatorTransfers from "./ledger/OperatorTransfers.js"
import * as LeasedRateLimiter from "./limit/LeasedRateLimiter.js"
import type { RateLimiter } from "./limit/RateLimiter.js"
import * as ApiKeys from "./merchant/ApiKeys.js"
import * as KeyHolders from "./merchant/KeyHolders.js"
import * as Merchants from "./merchant/Merchants.js"
import * as Approvals from "./operator/approval/Approvals.js"
import * as LinkSights from "./operator/LinkSights.js"
import * as OperatorActions from "./operator/OperatorActions.js"
import * as PersonSights from "./operator/PersonSights.js"
import * as OperatorSessions from "./operator/session/OperatorSessions.js"
import * as Overview from "./overview/Overview.js"
import * as Payments from "./payment/Payments.js"
import * as PersonRights from "./person/PersonRights.js"
import * as RightsRequests from "./person/RightsRequests.js"
import type { HostRefunds } from "./refund/HostRefunds.js"
import * as RefundRecovery from "./refund/RefundRecovery.js"
import * as Refunds from "./refund/Refunds.js"
import * as RefundTimelines from "./refund/RefundTimelines.js"
import type { Wallet } from "./refund/Wallet.js"
import * as Requests from "./request/Requests.js"
import * as Partitions from "./retention/Partitions.js"
import * as Retention from "./retention/Retention.js"
import type { StorePorts } from "./StorePorts.js"
import * as Sandbox from "./sandbox/Sandbox.js"
import * as Search from "./search/Search.js"
import type { Keyring } from "./secret/Keyring.js"

/** Services that do not depend on whether consumers' money is in Surety's ledger or a host's own wallet. */
const walletFree = Layer.mergeAll(
  Merchants.layer,
  Layer.mergeAll(Approvals.layer, LinkSights.layer, PersonSights.layer, OperatorSessions.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(PersonRights.layer, RightsRequests.layer, OperatorTransfers.layer)),
    Layer.provideMerge(Layer.merge(OperatorActions.layer, ConsumerChanges.layer))
  ),
  Retention.layer,
  Search.layer,
  Overview.layer,
  RefundTimelines.layer,
  Layer.provide(Audits.layer, Receipts.layer),
  ApiKeys.layer,
  Layer.provideMerge(EndpointEvents.layer, WebhookEndpoints.layer),
  Consumers.layer,
  Payments.layer,
  ConsentServices.layer,
  Verifications.layer,
  Requests.layer,
  Layer.provide(Sandbox.layer, ConsentServices.layer)
).pipe(Layer.provide([KeyHolders.layer, UnknownConsumerLimit.layer]))

/** Services of the hosted pages for people. */
const pages = Layer.merge(PersonConsents.layer, LinkGuessLimit.layer)

/** Services that `layer` provides, regardless of which optional parts are given. */
export type Services =
  | Layer.Success<typeof walletFree>
  | Layer.Success<typeof pages>
  | Refunds.Refunds
  | HostRefunds
  | RateLimiter
  | ConsumerAuthenticator.ConsumerAuthenticator

/** A host's parts as layers. Optional parts have defaults. */
export interface Parts<E = unknown, R = unknown> {
  /** Storage for records, such as `PgStores.layer` or `MemoryStores.layer`. */
  readonly stores: Layer.Layer<StorePorts, E, R>
  /** Secret keys: `Keyring.layer([key])`. */
  readonly keyring: Layer.Layer<Keyring, E, R>
  /** Allowed webhook targets: `NodeWebhooks.layerTargets`, or `TargetPolicy.layerDevelopment` to allow private ones. */
  readonly targets: Layer.Layer<TargetPolicy, E, R>
  /** Builds the urls of the pages for deciding on requests and revoking consents: `ConsentUrls.layer(publicUrl)`. */
  readonly consentUrls: Layer.Layer<ConsentUrls, E, R>
  /**
   * Serialises the responses stored under idempotency keys: `Responses.layer` of @surety/http, or `Responses.layerNone`
   * for a host without HTTP.
   */
  readonly responses: Layer.Layer<Responses, E, R>
  /** Notifies people of pending LIVE requests. Default: no notification; the operator or host delivers the links. */
  readonly consentNotifier?: Layer.Layer<ConsentNotifier.ConsentNotifier, E, R> | undefined
  /** Source of people's identity values. Default: the consumers in the stores. */
  readonly directory?: Layer.Layer<ConsumerDirectory.ConsumerDirectory, E, R> | undefined
  /** Decides who may open a link's page, and who must first sign in or enter a code. Default: the link suffices. */
  readonly authenticator?: Layer.Layer<ConsumerAuthenticator.ConsumerAuthenticator, E, R> | undefined
  /** Verifies people. Default: the sandbox in TEST, and no provider in LIVE. */
  readonly kycProviders?: Layer.Layer<KycProviders.KycProviders, E, R> | undefined
  /** Limits request rates. Default: each process leases tokens from buckets in the stores, shared by all processes. */
  readonly rateLimiter?: Layer.Layer<RateLimiter, E, R> | undefined
  /** The host's own wallet. Default: consumers' money is in Surety's ledger. */
  readonly wallet?: Layer.Layer<Wallet, E, R> | undefined
}

type Part<P, Names extends keyof Parts = keyof Parts> = Extract<P[Names & keyof P], Layer.Any>
type Foundation<P> = Layer.Success<Part<P, "keyring" | "targets" | "responses">> | DeliverySignal.DeliverySignal
type Stored<P> = Layer.Success<Part<P, "stores">> | Foundation<P>
type HostPart = "consentUrls" | "consentNotifier" | "directory" | "kycProviders" | "rateLimiter" | "wallet"
type Defaults = ConsentNotifier.ConsentNotifier | ConsumerDirectory.ConsumerDirectory | KycProviders.KycProviders

/**
 * Everything that `layer` provides: `Services`, `DeliverySignal`, the given parts, and the defaults of omitted parts.
 */
export type Provided<P extends Parts> = Services | Defaults | DeliverySignal.DeliverySignal | Layer.Success<Part<P>>

/** Hashing and random bytes. `NodeCrypto.layer` provides both. */
type Random = Digest.Digest | SecureRandom.SecureRandom

/** Requirements of `layer`: `Random`, and any dependencies of the parts that `layer` does not provide to them. */
export type Needs<P extends Parts> =
  | Random
  | Layer.Services<Part<P, "keyring" | "targets" | "responses">>
  | Exclude<Layer.Services<Part<P, "stores">>, Foundation<P>>
  | Exclude<Layer.Services<Part<P, HostPart>>, Stored<P>>
  | Exclude<Layer.Services<Part<P, "authenticator">>, Provided<P>>

/**
 * Builds a layer that provides Surety's services from a host's parts. Run `workers` alongside it, in this process or
 * another.
 *
 * @example
 * const surety = Surety.layer({
 *   stores: PgStores.layer,
 *   keyring: Keyring.layer([secretKey]),
 *   targets: NodeWebhooks.layerTargets,
 *   consentUrls: ConsentUrls.layer("https://shop.example/pay"),
 *   responses: Responses.layer
 * }).pipe(Layer.provideMerge(NodeCrypto.layer), Layer.provide(PgClient.layer({ url })))
 */
export function layer<const P extends Parts>(parts: P): Layer.Layer<Provided<P>, Layer.Error<Part<P>>, Needs<P>>
export function layer<E, R>(parts: Parts<E, R>): Layer.Layer<Exclude<Provided<Parts>, Wallet>, E, R | Random> {
  const {
    authenticator = ConsumerAuthenticator.layerLink,
    consentUrls,
    consentNotifier = ConsentNotifier.layerNone,
    directory = ConsumerDirectory.layer,
    keyring,
    kycProviders = KycProviders.layerSandbox,
    rateLimiter = LeasedRateLimiter.layer,
    responses,
    stores,
    targets,
    wallet
  } = parts
  const refunds: Layer.Layer<Refunds.Refunds | HostRefunds, E, R | Layer.Services<typeof Refunds.layer>> =
    wallet === undefined ? Refunds.layer : Layer.provideMerge(Refunds.layerHostWallet, wallet)
  return Layer.merge(pages, authenticator).pipe(
    Layer.provideMerge(Layer.merge(walletFree, refunds)),
    Layer.provideMerge(Layer.mergeAll(consentUrls, consentNotifier, directory, kycProviders, rateLimiter)),
    Layer.provideMerge(stores),
    Layer.provideMerge(Layer.mergeAll(keyring, targets, responses, DeliverySignal.layer))
  )
}

const background = [
  RefundRecovery.worker,
  VerificationRecovery.worker,
  VerificationRecovery.keyWorker,
  ConsentSweeper.worker,
  ConsentSweeper.pageWorker,
  Retention.worker,
  Requests.worker,
  HostRequests.forgetWorker,
  OperatorSessions.worker,
  Overview.worker,
  Partitions.worker
] as const

/**
 * One round of background work, such as recovering from crashes, recording expiries and deleting expired data. Sends no
 * webhooks and performs none of a host's queued requests. For a caller that schedules its own rounds, such as a test.
 */
export const round = Effect.all(
  background.map((worker): Effect.Effect<void, never, RoundNeeds> => worker.round),
  { discard: true }
)

/** Services that `round` requires. */
export type RoundNeeds = Effect.Services<(typeof background)[number]["round"]>

/**
 * Builds a layer that runs background work, such as sending webhooks, recovering from crashes, recording expiries and
 * deleting expired data. Several processes may run it on one database.
 *
 * @example
 * Surety.workers({ webhooks: NodeWebhooks.layer }).pipe(Layer.provide(surety))
 */
export const workers = <E, R>({ webhooks }: { readonly webhooks: Layer.Layer<never, E, R> }) =>
  Layer.mergeAll(webhooks, ...background.map((worker): Layer.Layer<never, never, RoundNeeds> => worker.layer))
