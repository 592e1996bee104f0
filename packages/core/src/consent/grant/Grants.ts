import { DateTime, Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { type IdentityField, IdentityFields, parseDistinct } from "../../consumer/IdentityField.js"
import * as Traceparent from "../../event/Traceparent.js"
import { type GrantId, nextEventId, nextGrantId, nextReceiptId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import { MerchantStore } from "../../merchant/MerchantStore.js"
import { requireNotClosed } from "../../merchant/openMerchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { ConsentActor } from "../ConsentActor.js"
import { type ConsentFault, ConsentRequestInvalid, GrantNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import { ConsentStore, type ConsentTarget } from "../ConsentStore.js"
import { asRead } from "../Purpose.js"
import { faultsAt, purposeFaults } from "../request/DataRequestCommand.js"
import { ConsentPolicy, type Notice } from "./ConsentPolicy.js"
import { decideGrant, decideGrantEnd, type GrantCommand, type GrantEnd } from "./decideGrant.js"
import { asOf, type Grant } from "./Grant.js"

/** A grant that the host or the operator gives because the person has consented elsewhere. */
export interface NewGrant {
  readonly serviceId: ConsumerId
  readonly fields: ReadonlyArray<string>
  /** Absent: the merchant's usual purpose. */
  readonly purpose?: string
  readonly origin: GrantCommand["origin"]
  readonly actor: ConsentActor
  /** Absent: as long as the policy says. */
  readonly expiresAt?: DateTime.Utc
}

export interface Revocation {
  readonly actor: ConsentActor
  readonly reason?: string
  /** What the person was shown; the policy's where it is not told. */
  readonly notice?: Notice
}

/** What people have allowed merchants to read. */
export interface Grants {
  /**
   * Gives a grant without a request. `consent_granted` and the receipt stand in the same commit. Fails for a merchant that
   * is REJECTED or CLOSED.
   */
  readonly grant: (
    scope: MerchantScope,
    grant: NewGrant
  ) => Effect.Effect<Grant, ConsentRequestInvalid | ConsumerNotFound | MerchantNotActive | StoreError>

  /** Ends a grant: the next reading, on whatever node, sees it. One that has ended already is answered as it stands. */
  readonly revoke: (
    target: ConsentTarget<GrantId>,
    revocation: Revocation
  ) => Effect.Effect<Grant, GrantNotFound | StoreError>

  /** The grant as it is now. */
  readonly getGrant: (target: ConsentTarget<GrantId>) => Effect.Effect<Grant, GrantNotFound | StoreError>

  /** Grants as they are now, newest first; of one person when `userId` is given. */
  readonly listGrants: (
    listing: ConsentListing,
    filter: PersonFilter,
    page: PageRequest
  ) => Effect.Effect<Page<Grant>, StoreError>

  /** Records that the grant has expired, if it has and nobody has done so. Tells whether it did. */
  readonly expireGrant: (id: GrantId) => Effect.Effect<boolean, StoreError>
}

/** Understands a grant, or lists every fault in it (at least one). */
const parse = (
  { expiresAt, fields, purpose, ...rest }: NewGrant,
  known: ReadonlyArray<IdentityField>,
  now: DateTime.Utc
): Result.Result<GrantCommand, ReadonlyArray<ConsentFault>> => {
  const parsed = parseDistinct(fields, known)
  const isPast = expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)
  const faults: ReadonlyArray<ConsentFault> = [
    ...(Result.isFailure(parsed) ? faultsAt("fields", parsed.failure) : []),
    ...purposeFaults(purpose),
    ...(isPast ? [{ path: ["expiresAt"], code: "expiry_past" as const, detail: "A grant ends in the future." }] : [])
  ]
  return Result.isSuccess(parsed) && faults.length === 0
    ? Result.succeed({ ...rest, fields: parsed.success, purpose: purpose && asRead(purpose), expiresAt })
    : Result.fail(faults)
}

export const make: Effect.Effect<Grants, never, ConsentStore | ConsentLog | MerchantStore | SecureRandom.SecureRandom> =
  Effect.gen(function* () {
    const store = yield* ConsentStore
    const log = yield* ConsentLog
    const random = yield* SecureRandom.SecureRandom
    const merchants = yield* MerchantStore
    const known = yield* IdentityFields
    const policy = yield* ConsentPolicy

    const nextContext = Effect.all({
      now: DateTime.now,
      grantId: nextGrantId,
      receiptId: nextReceiptId,
      eventId: nextEventId,
      policy: Effect.succeed(policy),
      traceparent: Traceparent.current
    }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

    const grant = Effect.fn("Consents.grant")(function* (scope: MerchantScope, form: NewGrant) {
      const context = yield* nextContext
      const parsed = parse(form, known, context.now)
      if (Result.isFailure(parsed)) return yield* new ConsentRequestInvalid({ faults: parsed.failure })
      const command = parsed.success
      yield* requireNotClosed(merchants, scope)
      const decision = yield* store.grant({ scope, serviceId: command.serviceId }, (snapshot) =>
        decideGrant(snapshot, command, { ...context, scope })
      )
      return decision._tag === "Refuse" ? yield* decision.reason : decision.plan.grant
    })

    const end = Effect.fnUntraced(function* (target: ConsentTarget<GrantId>, how: GrantEnd) {
      const context = yield* nextContext
      return yield* store.end(target, (snapshot) => decideGrantEnd(snapshot, how, context))
    })

    const revoke = Effect.fn("Consents.revoke")(function* (
      target: ConsentTarget<GrantId>,
      { actor, notice, reason }: Revocation
    ) {
      const decision = yield* end(target, { _tag: "Revoke", actor, reason, notice })
      if (Option.isNone(decision)) return yield* new GrantNotFound({ grantId: target.id })
      return decision.value._tag === "Execute" ? decision.value.plan.grant : decision.value.grant
    })

    const expireGrant = Effect.fn("Consents.expireGrant")(function* (id: GrantId) {
      const decision = yield* end({ id, scope: undefined }, { _tag: "Expire" })
      return Option.exists(decision, ({ _tag }) => _tag === "Execute")
    })

    const getGrant = Effect.fn("Consents.getGrant")(function* (target: ConsentTarget<GrantId>) {
      const found = yield* log.findGrant(target)
      if (Option.isNone(found)) return yield* new GrantNotFound({ grantId: target.id })
      return asOf(found.value, yield* DateTime.now)
    })

    const listGrants = Effect.fn("Consents.listGrants")(function* (
      listing: ConsentListing,
      filter: PersonFilter,
      page: PageRequest
    ) {
      const { data, nextCursor } = yield* log.listGrants(listing, filter, page)
      const now = yield* DateTime.now
      return { data: data.map((one) => asOf(one, now)), nextCursor }
    })

    return { grant, revoke, getGrant, listGrants, expireGrant }
  })
