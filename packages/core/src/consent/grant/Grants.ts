import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { type IdentityField, IdentityFields, parseDistinct } from "../../consumer/IdentityField.js"
import * as Traceparent from "../../event/Traceparent.js"
import { EventId, GrantId, ReceiptId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { AskingBlocked } from "../asking/decideAsk.js"
import type { ConsentActor } from "../ConsentActor.js"
import { type ConsentFault, ConsentRequestInvalid, GrantNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import { ConsentStore, type ConsentTarget } from "../ConsentStore.js"
import { faultsAt, purposeFaults } from "../request/DataRequestCommand.js"
import { asRead, ConsentPolicy, type PrivacyNotice } from "./ConsentPolicy.js"
import { decideGrant, decideGrantEnd, type GrantCommand, type GrantEnd } from "./decideGrant.js"
import { type Grant, grantAsOf } from "./Grant.js"

/** Input for a grant that the host or the operator creates because the person consented outside Surety. */
export interface GrantInput {
  readonly serviceId: ConsumerId
  readonly fields: ReadonlyArray<string>
  /** Default: the merchant's usual purpose (`purposeOf`). */
  readonly purpose?: string
  readonly origin: GrantCommand["origin"]
  readonly actor: ConsentActor
  /** Must be in the future. Default: now plus the policy's `grantLifetime`. */
  readonly expiresAt?: DateTime.Utc
}

export interface Revocation {
  readonly actor: ConsentActor
  readonly reason?: string
  /** The notice shown to the person. Default: the policy's. */
  readonly notice?: PrivacyNotice
}

/** Result of `revokeOnce`: a grant that is no longer active. */
export interface EndedGrant {
  readonly grant: Grant
  /** True if this call ended the grant. */
  readonly isNew: boolean
}

/** Manages people's grants to merchants. */
export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Creates a grant without a request. The `consent_granted` event and the receipt are part of the same commit. Fails
     * if the input is invalid, the person is unknown, or the merchant is REJECTED or CLOSED. Also fails if a block
     * applies (`stopsConsent`).
     */
    readonly create: (
      scope: MerchantScope,
      grant: GrantInput
    ) => Effect.Effect<Grant, ConsentRequestInvalid | ConsumerNotFound | MerchantNotActive | AskingBlocked | StoreError>

    /** Returns the grant as of now. */
    readonly get: (target: ConsentTarget<GrantId>) => Effect.Effect<Grant, GrantNotFound | StoreError>

    /** Lists grants as of now, newest first. */
    readonly list: (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Grant>, StoreError>

    /** Ends a grant, so later reads on any node no longer use it. If the grant has already ended, only returns it. */
    readonly revoke: (
      target: ConsentTarget<GrantId>,
      revocation: Revocation
    ) => Effect.Effect<Grant, GrantNotFound | StoreError>

    /** Like `revoke`, but also reports whether this call ended the grant. */
    readonly revokeOnce: (
      target: ConsentTarget<GrantId>,
      revocation: Revocation
    ) => Effect.Effect<EndedGrant, GrantNotFound | StoreError>

    /** Records that the grant has expired. Returns true only if this call recorded it. */
    readonly expire: (id: GrantId) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/consent/grant/Grants") {}

const parse = (
  { expiresAt, fields, purpose, ...rest }: GrantInput,
  known: ReadonlyArray<IdentityField>,
  now: DateTime.Utc
): Result.Result<GrantCommand, ReadonlyArray<ConsentFault>> => {
  const parsed = parseDistinct(fields, known)
  const isPast = expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)
  const faults: ReadonlyArray<ConsentFault> = [
    ...(Result.isFailure(parsed) ? faultsAt("fields", parsed.failure) : []),
    ...purposeFaults(purpose),
    ...(isPast ? [{ path: ["expiresAt"], code: "expiry_past" as const, detail: "Expected a time in the future." }] : [])
  ]
  return Result.isSuccess(parsed) && faults.length === 0
    ? Result.succeed({ ...rest, fields: parsed.success, purpose: purpose && asRead(purpose), expiresAt })
    : Result.fail(faults)
}

export const layer: Layer.Layer<Grants, never, ConsentStore | ConsentLog | SecureRandom.SecureRandom> = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const log = yield* ConsentLog
    const random = yield* SecureRandom.SecureRandom
    const known = yield* IdentityFields
    const policy = yield* ConsentPolicy

    const nextContext = Effect.all({
      now: DateTime.now,
      grantId: GrantId.next,
      receiptId: ReceiptId.next,
      eventId: EventId.next,
      policy: Effect.succeed(policy),
      traceparent: Traceparent.current
    }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

    const create = Effect.fn("Grants.create")(function* (scope: MerchantScope, form: GrantInput) {
      const context = yield* nextContext
      const parsed = parse(form, known, context.now)
      if (Result.isFailure(parsed)) return yield* new ConsentRequestInvalid({ faults: parsed.failure })
      const command = parsed.success
      const decision = yield* store.grant({ scope, serviceId: command.serviceId }, (snapshot) =>
        decideGrant(snapshot, command, { ...context, scope })
      )
      return decision._tag === "Refuse" ? yield* decision.reason : decision.plan.grant
    })

    const end = Effect.fnUntraced(function* (target: ConsentTarget<GrantId>, how: GrantEnd) {
      const context = yield* nextContext
      return yield* store.end(target, (snapshot) => decideGrantEnd(snapshot, how, context))
    })

    const revokeOnce = Effect.fn("Grants.revokeOnce")(function* (
      target: ConsentTarget<GrantId>,
      { actor, notice, reason }: Revocation
    ) {
      const decision = yield* end(target, { _tag: "Revoke", actor, reason, notice })
      if (Option.isNone(decision)) return yield* new GrantNotFound({ grantId: target.id })
      const { value } = decision
      return value._tag === "Execute" ? { grant: value.plan.grant, isNew: true } : { grant: value.grant, isNew: false }
    })

    const revoke = Effect.fn("Grants.revoke")((target: ConsentTarget<GrantId>, revocation: Revocation) =>
      Effect.map(revokeOnce(target, revocation), ({ grant }) => grant)
    )

    const expire = Effect.fn("Grants.expire")(function* (id: GrantId) {
      const decision = yield* end({ id, scope: undefined }, { _tag: "Expire" })
      return Option.exists(decision, ({ _tag }) => _tag === "Execute")
    })

    const get = Effect.fn("Grants.get")(function* (target: ConsentTarget<GrantId>) {
      const found = yield* log.findGrant(target)
      if (Option.isNone(found)) return yield* new GrantNotFound({ grantId: target.id })
      return grantAsOf(found.value, yield* DateTime.now)
    })

    const list = Effect.fn("Grants.list")(function* (listing: ConsentListing, filter: PersonFilter, page: PageRequest) {
      const { data, nextCursor } = yield* log.listGrants(listing, filter, page)
      const now = yield* DateTime.now
      return { data: data.map((one) => grantAsOf(one, now)), nextCursor }
    })

    return Grants.of({ create, get, list, revoke, revokeOnce, expire })
  })
)
