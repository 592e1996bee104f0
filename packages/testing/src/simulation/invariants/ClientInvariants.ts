import type { Identity } from "@surety/core/consent/read/IdentityRecord"
import type { UserId } from "@surety/core/Ids"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Duration, Option, Redacted } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"

/** An accepted command, as its merchant knows it. */
interface Accepted {
  readonly command: string
  readonly response: string
  readonly atMillis: number
}

/** Keys are kept 30 days; one that is repeated a day before may be forgotten by a clock that is ahead. */
const keptMillis = Duration.toMillis(Duration.days(29))

/** What merchants were answered, and may rely on. */
export interface ClientBook {
  /** Notes a 201. `isKeptForEver`: as refunds' keys are. */
  readonly accepted: (
    scope: MerchantScope,
    key: string,
    command: string,
    response: string,
    isKeptForEver: boolean
  ) => void
  /** Notes a record that was answered to a merchant. */
  readonly own: (scope: MerchantScope, record: MerchantScope, id: string) => void
  /** Notes the values that a read answered. It was sent at `sinceMillis`. */
  readonly read: (scope: MerchantScope, userId: UserId, identity: Identity, sinceMillis: number) => void
}

/** The time for which each grant was in force, as seen from outside. */
const watchForce = (world: World) => {
  const ended = new Map<string, number>()
  observe(world.state.grants, (id, before, after) => {
    if (before?.status === "ACTIVE" && after?.status !== "ACTIVE") ended.set(id, world.nowMillis)
  })
  return (scope: MerchantScope, userId: UserId, field: string, sinceMillis: number): boolean =>
    [...world.state.grants.values()].some(
      (grant) =>
        grant.userId === userId &&
        isOf(scope, grant) &&
        (field === "service_id" || grant.fields.some((one) => one === field)) &&
        (ended.get(grant.id) ?? Number.POSITIVE_INFINITY) >= sinceMillis &&
        DateTime.toEpochMillis(grant.expiresAt) >= sinceMillis - mostSkewMillis
    )
}

export const watchClients = (world: World): ClientBook => {
  const book = new Map<string, Accepted>()
  const wasInForce = watchForce(world)
  return {
    accepted: (scope, key, command, response, isKeptForEver) => {
      const name = scopedKey(scope, key)
      const first = book.get(name)
      const isKept = first !== undefined && (isKeptForEver || world.nowMillis - first.atMillis < keptMillis)
      if (!isKept) {
        book.set(name, { command, response, atMillis: world.nowMillis })
        return
      }
      world.require(first.command === command, "one_refund_per_key", () => `${key} was accepted for two commands`)
      world.require(
        first.response === response,
        "answers_never_change",
        () => `${key} was answered ${first.response} and then ${response}`
      )
    },
    own: (scope, record, id) =>
      world.require(
        isOf(scope, record),
        "own_records_only",
        () => `${world.nameOf(id)} was answered to another merchant, or in another environment`
      ),
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
