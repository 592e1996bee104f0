import { Context, DateTime, Effect, Layer, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { decideUntilCommitted } from "../decideUntilCommitted.js"
import type { Environment } from "../Environment.js"
import { EndpointId, type MerchantId } from "../Ids.js"
import { openStatuses } from "../merchant/Merchant.js"
import {
  EndpointNotFound,
  type MerchantNotActive,
  MerchantNotFound,
  TooManyEndpoints
} from "../merchant/MerchantError.js"
import { MerchantStore } from "../merchant/MerchantStore.js"
import { openMerchant } from "../merchant/openMerchant.js"
import type { StoreError } from "../StoreError.js"
import { Keyring } from "../secret/Keyring.js"
import { defaultTopics, type Topic } from "./DomainEvent.js"
import { disabledEvent } from "./disabledEvent.js"
import { type TargetNotAllowed, TargetPolicy } from "./TargetPolicy.js"
import { type EndpointSecret, type EndpointStatus, maxEndpoints, type WebhookEndpoint } from "./WebhookEndpoint.js"
import { WebhookEndpointStore } from "./WebhookEndpointStore.js"
import * as WebhookSecret from "./WebhookSecret.js"

/** An endpoint and its new secret, which cannot be retrieved again. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted<string>
}

export interface EndpointInput {
  readonly url: string
  /** Default: LIVE if the merchant is ACTIVE, otherwise TEST. */
  readonly environment: Environment | undefined
  /** Default: the five topics of specification 6.2. */
  readonly topics: ReadonlyArray<Topic> | undefined
  /** In deliveries per second. Default: no limit. */
  readonly maxPerSecond?: number | undefined
}

export interface EndpointChange {
  readonly url?: string
  readonly topics?: ReadonlyArray<Topic>
  readonly status?: EndpointStatus
  /** Deliveries per second; `null` removes the limit. */
  readonly maxPerSecond?: number | null
  /** Set by `EndpointEvents` together with the status ENABLED. */
  readonly missedSince?: DateTime.Utc
}

/**
 * Merchants' webhook endpoints (contract 4, 11). An endpoint of a REJECTED or CLOSED merchant can only be read,
 * disabled and removed.
 */
export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly register: (
      merchantId: MerchantId,
      registration: EndpointInput
    ) => Effect.Effect<
      EndpointWithSecret,
      MerchantNotFound | MerchantNotActive | TooManyEndpoints | TargetNotAllowed | StoreError
    >

    readonly get: (
      merchantId: MerchantId,
      id: EndpointId
    ) => Effect.Effect<WebhookEndpoint, EndpointNotFound | StoreError>

    /** Lists the merchant's endpoints, oldest first. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /** Changes the given fields. Enabling a disabled endpoint resumes its pending deliveries. */
    readonly update: (
      merchantId: MerchantId,
      id: EndpointId,
      change: EndpointChange
    ) => Effect.Effect<
      WebhookEndpoint,
      EndpointNotFound | MerchantNotFound | MerchantNotActive | TargetNotAllowed | StoreError
    >

    /**
     * Removes the endpoint's `missedSince`, unless the endpoint has changed since `enabled`, for example been disabled
     * again. Returns the endpoint as it is then stored.
     */
    readonly endMissed: (enabled: WebhookEndpoint) => Effect.Effect<WebhookEndpoint, EndpointNotFound | StoreError>

    /**
     * Issues a new secret. The previous secret stays valid for `overlapSeconds`. Use 0 after a leak: all earlier
     * secrets become invalid immediately.
     */
    readonly rotateSecret: (
      merchantId: MerchantId,
      id: EndpointId,
      overlapSeconds: number
    ) => Effect.Effect<EndpointWithSecret, EndpointNotFound | MerchantNotFound | MerchantNotActive | StoreError>

    readonly remove: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<void, EndpointNotFound | StoreError>
  }
>()("@surety/core/event/WebhookEndpoints") {}

const enabledAgain = ({
  disabledAt: _,
  disabledReason: __,
  failingSince: ___,
  missedSince: ____,
  ...endpoint
}: WebhookEndpoint): WebhookEndpoint => ({ ...endpoint, status: "ENABLED" })

const withStatus = (
  endpoint: WebhookEndpoint,
  status: EndpointStatus | undefined,
  now: DateTime.Utc
): WebhookEndpoint => {
  switch (status) {
    case undefined:
      return endpoint
    case "ENABLED":
      return enabledAgain(endpoint)
    case "DISABLED":
      return { ...endpoint, status, disabledAt: endpoint.disabledAt ?? now }
  }
}

const withRate = (
  { maxPerSecond: before, ...endpoint }: WebhookEndpoint,
  asked: number | null | undefined
): WebhookEndpoint => {
  const maxPerSecond = asked === undefined ? before : asked
  return maxPerSecond === undefined || maxPerSecond === null ? endpoint : { ...endpoint, maxPerSecond }
}

const distinct = (topics: ReadonlyArray<Topic>): ReadonlyArray<Topic> => [...new Set(topics)]

const isDisabling = ({ status, ...others }: EndpointChange): boolean =>
  status === "DISABLED" && Object.values(others).every((value) => value === undefined)

/** Maximum number of valid secrets. A further rotation drops the oldest one before its overlap ends. */
const maxSecrets = 10

/**
 * Returns the secrets to store after a rotation, oldest first: the earlier ones still in their overlap, and `next`. The
 * overlap of the replaced secret begins now. A rotation repeated after a lost response does not shorten the overlap of
 * older secrets. Without an overlap, for example after a leak, only `next` is valid.
 */
const rotated = (
  secrets: ReadonlyArray<EndpointSecret>,
  next: EndpointSecret,
  now: DateTime.Utc,
  overlapSeconds: number
): ReadonlyArray<EndpointSecret> => {
  if (overlapSeconds === 0) return [next]
  const stillInForce = secrets.flatMap((secret) => {
    const expiresAt = secret.expiresAt ?? DateTime.add(now, { seconds: overlapSeconds })
    return DateTime.isGreaterThan(expiresAt, now) ? [{ ...secret, expiresAt }] : []
  })
  return [...stillInForce, next].slice(-maxSecrets)
}

/** `updatedAt` must differ after every change, because `replace` detects concurrent changes by it. */
const laterThan = (before: DateTime.Utc, now: DateTime.Utc): DateTime.Utc =>
  DateTime.isGreaterThan(now, before) ? now : DateTime.add(before, { milliseconds: 1 })

export const layer: Layer.Layer<
  WebhookEndpoints,
  never,
  WebhookEndpointStore | MerchantStore | TargetPolicy | Keyring | SecureRandom.SecureRandom
> = Layer.effect(
  WebhookEndpoints,
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const merchants = yield* MerchantStore
    const targets = yield* TargetPolicy
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom

    const nextSecret = Effect.fnUntraced(function* (id: EndpointId, createdAt: DateTime.Utc) {
      const secret = yield* Effect.provideService(WebhookSecret.next, SecureRandom.SecureRandom, random)
      return { secret, stored: { sealed: yield* keyring.seal(id, secret), createdAt } }
    })

    const get = Effect.fn("WebhookEndpoints.get")(function* (merchantId: MerchantId, id: EndpointId) {
      const endpoint = yield* store.find(merchantId, id)
      if (Option.isNone(endpoint)) return yield* new EndpointNotFound({ endpointId: id })
      return endpoint.value
    })

    const disabledBy = (before: WebhookEndpoint, after: WebhookEndpoint) =>
      before.status === "ENABLED" && after.status === "DISABLED" && after.disabledAt !== undefined
        ? Effect.provideService(disabledEvent(after, undefined, after.disabledAt), SecureRandom.SecureRandom, random)
        : Effect.undefined

    /**
     * Starts over if another change was stored concurrently. With `mustBeOpen`, fails if the merchant is REJECTED or
     * CLOSED at the commit.
     */
    const change = <A extends { readonly endpoint: WebhookEndpoint }, E>(
      merchantId: MerchantId,
      id: EndpointId,
      mustBeOpen: boolean,
      f: (endpoint: WebhookEndpoint, now: DateTime.Utc) => Effect.Effect<A, E>
    ) =>
      decideUntilCommitted({
        load: Effect.gen(function* () {
          const endpoint = yield* get(merchantId, id)
          if (mustBeOpen) yield* openMerchant(merchants, merchantId, endpoint.environment)
          return endpoint
        }),
        decide: (before) => Effect.flatMap(DateTime.now, (now) => f(before, laterThan(before.updatedAt, now))),
        commit: ({ endpoint }, before) =>
          Effect.flatMap(disabledBy(before, endpoint), (event) =>
            store.replace(before, endpoint, event, mustBeOpen ? openStatuses : undefined)
          )
      })

    const register = Effect.fn("WebhookEndpoints.register")(function* (
      merchantId: MerchantId,
      { environment, maxPerSecond, topics, url }: EndpointInput
    ) {
      const { status } = yield* openMerchant(merchants, merchantId, environment)
      yield* targets.check(url)
      const id = yield* Effect.provideService(EndpointId.next, SecureRandom.SecureRandom, random)
      const now = yield* DateTime.now
      const { secret, stored } = yield* nextSecret(id, now)
      const endpoint: WebhookEndpoint = {
        id,
        merchantId,
        environment: environment ?? (status === "ACTIVE" ? "LIVE" : "TEST"),
        url,
        topics: distinct(topics ?? defaultTopics),
        status: "ENABLED",
        ...(maxPerSecond === undefined ? {} : { maxPerSecond }),
        secrets: [stored],
        createdAt: now,
        updatedAt: now
      }
      switch (yield* store.insert(endpoint, maxEndpoints, openStatuses)) {
        case "inserted":
          return { endpoint, secret }
        case "merchant_missing":
          return yield* new MerchantNotFound({ merchantId })
        case "status_forbids":
          // The merchant was rejected or closed after the check above. Checking again fails with the new status.
          return yield* openMerchant(merchants, merchantId, environment).pipe(
            Effect.andThen(Effect.die(new Error(`merchant ${merchantId} is open, and its endpoint was refused`)))
          )
        case "limit_reached":
          return yield* new TooManyEndpoints({ merchantId, limit: maxEndpoints })
      }
    })

    const update = Effect.fn("WebhookEndpoints.update")(function* (
      merchantId: MerchantId,
      id: EndpointId,
      asked: EndpointChange
    ) {
      const { maxPerSecond, missedSince, status, topics, url } = asked
      if (url !== undefined) {
        const { environment } = yield* get(merchantId, id)
        yield* openMerchant(merchants, merchantId, environment)
        yield* targets.check(url)
      }
      const { endpoint } = yield* change(merchantId, id, !isDisabling(asked), (before, now) => {
        const changed = { ...before, url: url ?? before.url, topics: distinct(topics ?? before.topics), updatedAt: now }
        const switched = withStatus(withRate(changed, maxPerSecond), status, now)
        return Effect.succeed({ endpoint: missedSince === undefined ? switched : { ...switched, missedSince } })
      })
      return endpoint
    })

    const endMissed = Effect.fn("WebhookEndpoints.endMissed")(function* (enabled: WebhookEndpoint) {
      const { missedSince, ...ended } = { ...enabled, updatedAt: laterThan(enabled.updatedAt, yield* DateTime.now) }
      if (missedSince !== undefined && (yield* store.replace(enabled, ended))) return ended
      return yield* get(enabled.merchantId, enabled.id)
    })

    const rotateSecret = Effect.fn("WebhookEndpoints.rotateSecret")(function* (
      merchantId: MerchantId,
      id: EndpointId,
      overlapSeconds: number
    ) {
      return yield* change(merchantId, id, true, (before, now) =>
        Effect.map(nextSecret(id, now), ({ secret, stored }) => ({
          secret,
          endpoint: { ...before, secrets: rotated(before.secrets, stored, now, overlapSeconds), updatedAt: now }
        }))
      )
    })

    const remove = Effect.fn("WebhookEndpoints.remove")(function* (merchantId: MerchantId, id: EndpointId) {
      if (!(yield* store.remove(merchantId, id))) return yield* new EndpointNotFound({ endpointId: id })
    })

    return WebhookEndpoints.of({ register, get, list: store.list, update, endMissed, rotateSecret, remove })
  })
)
