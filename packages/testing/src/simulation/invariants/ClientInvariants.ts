import type { Identity } from "@surety/core/consent/read/IdentityRecord"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { EventId, UserId } from "@surety/core/Ids"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Duration, Option, Redacted } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** An accepted command, as seen by its merchant. */
export interface Acceptance {
  readonly key: string
  readonly command: string
  readonly response: string
  /** Creation time of the record. */
  readonly madeAt: DateTime.Utc
  /** True for refunds, whose keys are never deleted. */
  readonly isKeptForEver: boolean
}

/**
 * How long a deletable key is guaranteed to be stored: 30 days minus a one-day margin. A process whose clock is fast
 * may delete a key early.
 */
const keptMillis = Duration.toMillis(Duration.days(29))

/** Records the responses that merchants receive, and checks them against the invariants. */
export interface ClientBook {
  /**
   * Records the response to an accepted command. While the key is stored, every acceptance with it must have the same
   * command and response.
   */
  readonly accepted: (scope: MerchantScope, acceptance: Acceptance) => void
  /** True if a data request ever used this key. The store may have deleted the key by the time a refusal arrives. */
  readonly wasUsed: (scope: MerchantScope, key: string) => boolean
  /** Checks that a record in a response belongs to the calling merchant and to the request's environment. */
  readonly own: (scope: MerchantScope, record: MerchantScope, id: string) => void
  /** Records the next event that a merchant polled, and checks that it is the merchant's own. */
  readonly followed: (scope: MerchantScope, event: DomainEvent) => void
  readonly lastFollowed: (scope: MerchantScope) => EventId | undefined
  /** Checks that a grant covered each value that a read returned. The read was sent at `sinceMillis`. */
  readonly read: (scope: MerchantScope, userId: UserId, identity: Identity, sinceMillis: number) => void
}

/**
 * Tracks when each grant ends. The returned predicate is true if a grant of `field` was in force at any time since
 * `sinceMillis`. Every grant includes `service_id`.
 */
const watchForce = (world: World) => {
  const ended = new Map<string, number>()
  /** Each grant's original user id, since an erasure replaces it. */
  const holders = new Map<string, UserId>()
  observe(world.state.grants, (id, before, after) => {
    if (before === undefined && after !== undefined) holders.set(id, after.userId)
    if (before?.status === "ACTIVE" && after?.status !== "ACTIVE") ended.set(id, world.nowMillis)
  })
  return (scope: MerchantScope, userId: UserId, field: string, sinceMillis: number): boolean =>
    [...world.state.grants.values()].some(
      (grant) =>
        holders.get(grant.id) === userId &&
        isOf(scope, grant) &&
        (field === "service_id" || grant.fields.some((one) => one === field)) &&
        (ended.get(grant.id) ?? Number.POSITIVE_INFINITY) >= sinceMillis &&
        DateTime.toEpochMillis(grant.expiresAt) >= sinceMillis - mostSkewMillis
    )
}

/** Checks that polling returned the first committed events in order, without a gap, a repeat or a test event. */
const checkPolls = (world: World, seen: ReadonlyArray<DomainEvent>): void => {
  const committed = [...world.state.events.values()]
    .map(({ event }) => event)
    .filter((event) => isOfSame(event, seen[0]) && event.testFor === undefined)
  const wrong = seen.findIndex(({ id }, index) => committed[index]?.id !== id)
  world.require(
    wrong < 0,
    "told_iff_committed",
    () => `event number ${wrong + 1} of polling is not that of the commits`
  )
}

const isOfSame = (event: DomainEvent, other: DomainEvent | undefined): boolean =>
  other !== undefined && isOf(other, event)

export const watchClients = (world: World): ClientBook => {
  const book = new Map<string, Acceptance>()
  const polls = new Map<string, ReadonlyArray<DomainEvent>>()
  const used = new Set<string>()
  observe(world.state.dataRequestsByKey, (key) => used.add(key))
  // An erasure frees the idempotency keys of the person's verifications.
  observe(world.state.verificationsByKey, (key, _, after) => {
    if (after === undefined && world.erasing !== undefined) book.delete(key)
  })
  const wasInForce = watchForce(world)
  const isKept = ({ isKeptForEver, madeAt }: Acceptance): boolean =>
    isKeptForEver || world.nowMillis - DateTime.toEpochMillis(madeAt) < keptMillis
  world.atRest(() => {
    for (const seen of polls.values()) checkPolls(world, seen)
  })
  return {
    accepted: (scope, acceptance) => {
      const { command, key, response } = acceptance
      // Ignores a response that arrives after its key may have been deleted. It may even arrive after the response to
      // the next request with that key.
      if (!isKept(acceptance)) return
      const name = scopedKey(scope, key)
      const first = book.get(name)
      if (first === undefined || !isKept(first)) {
        book.set(name, acceptance)
        return
      }
      world.require(first.command === command, "one_refund_per_key", () => `${key} was accepted for two commands`)
      world.require(
        first.response === response,
        "answers_never_change",
        () => `${key} was answered ${first.response} and then ${response}`
      )
    },
    wasUsed: (scope, key) => used.has(scopedKey(scope, key)),
    own: (scope, record, id) =>
      world.require(
        isOf(scope, record),
        "own_records_only",
        () => `${world.nameOf(id)} was answered to another merchant, or in another environment`
      ),
    followed: (scope, event) => {
      world.require(isOf(scope, event), "own_records_only", () => `${world.nameOf(event.id)} is another merchant's`)
      const name = scopedKey(scope, "")
      polls.set(name, [...(polls.get(name) ?? []), event])
    },
    lastFollowed: (scope) => polls.get(scopedKey(scope, ""))?.at(-1)?.id,
    read: (scope, userId, { fields }, sinceMillis) => {
      for (const [field, value] of Object.entries(fields)) {
        if (Option.isNone(Option.fromNullishOr(Redacted.value(value)))) continue
        world.require(
          wasInForce(scope, userId, field, sinceMillis),
          "reads_need_grant",
          () => `${field} of ${world.nameOf(userId)} was answered without a grant`
        )
      }
    }
  }
}
