import type { ApiKeyId } from "@surety/core/Ids"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import type { IssuedApiKey, Principal } from "@surety/core/merchant/ApiKeys"
import { DateTime } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn, type Statuses } from "./Lifecycles.js"

/** Records the API keys issued to merchants, and checks the responses about them. */
export interface KeyBook {
  readonly issued: (issued: IssuedApiKey) => void
  readonly known: () => ReadonlyArray<IssuedApiKey>
  /** Records that the key's revocation or replacement succeeded. */
  readonly ended: (id: ApiKeyId) => void
  /** Checks that the key permits this access. The call was sent at `sinceMillis`. */
  readonly opened: (principal: Principal, asked: ApiKey, sinceMillis: number) => void
  /** Checks that a refused key has ended or is not stored. */
  readonly refused: (asked: ApiKey) => void
}

/** A change to a key reaches every node within this time (contract 5). */
const reachesMillis = 5_000

const fields = ["id", "merchantId", "environment", "hash", "last4", "createdAt", "name", "scopes"] as const

/** Returns the time at which the key ends, in milliseconds since 1970, or `Infinity` if it has no end. */
const endOf = ({ expiresAt, revokedAt }: ApiKey): number =>
  Math.min(
    ...[expiresAt, revokedAt].map((at) => (at === undefined ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(at)))
  )

/** Checks that a key gives access only to its own merchant's records, and only until it ends. */
export const watchKeys = (world: World): KeyBook => {
  const { state } = world
  const issued: Array<IssuedApiKey> = []
  const standings = new Map<string, Statuses["API key"]>()
  const endedAt = new Map<string, number>()

  const move = (id: string, to: Statuses["API key"]): void => {
    checkMove(world, "API key", id, standings.get(id), to)
    standings.set(id, to)
  }
  /** Moves an `ENDING` key to `EXPIRED` if its expiry is at least `marginMillis` ago. */
  const expire = ({ expiresAt, id }: ApiKey, marginMillis: number): void => {
    if (expiresAt === undefined || standings.get(id) !== "ENDING") return
    if (DateTime.toEpochMillis(expiresAt) + marginMillis <= world.nowMillis) move(id, "EXPIRED")
  }

  observe(state.apiKeys, (_, before, after) => {
    if (after === undefined) return checkMove(world, "API key", before?.id ?? "", undefined, undefined)
    if (before !== undefined) expire(before, mostSkewMillis)
    const isOver = standings.get(after.id) === "EXPIRED"
    move(
      after.id,
      after.revokedAt !== undefined ? "REVOKED" : isOver ? "EXPIRED" : after.expiresAt ? "ENDING" : "IN_FORCE"
    )
    if (before === undefined) return
    const isKept = isSameIn(world, before, after, fields) && endOf(after) <= endOf(before)
    world.require(isKept, "lifecycle", () => `${world.nameOf(after.id)} became another key, or lasts longer`)
  })
  return {
    known: () => issued,
    issued: (key) => issued.push(key),
    ended: (id) => {
      if (!endedAt.has(id)) endedAt.set(id, world.nowMillis)
    },
    opened: (principal, asked, sinceMillis) => {
      const { environment, id, merchantId } = asked
      const name = () => world.nameOf(id)
      world.reach("API key used")
      const isTheirs =
        principal.apiKeyId === id && principal.merchantId === merchantId && principal.environment === environment
      world.require(isTheirs, "own_records_only", () => `${name()} opens another merchant's records`)
      const stored = state.apiKeys.get(asked.hash) ?? asked
      const known = endedAt.get(id)
      // A replacement sets the old key's expiry. Once the replacement has succeeded and that time has passed, the old
      // key must be refused.
      const isOver =
        known !== undefined && Math.max(known, endOf(stored)) + reachesMillis + mostSkewMillis < sinceMillis
      const isLate = asked.expiresAt !== undefined && endOf(asked) + mostSkewMillis < sinceMillis
      world.require(!isOver && !isLate, "own_records_only", () => `${name()} opens records after its end`)
    },
    refused: (asked) => {
      const stored = state.apiKeys.get(asked.hash)
      const isOver = stored === undefined || endOf(stored) <= world.nowMillis + mostSkewMillis
      world.require(isOver, "refusals_are_true", () => `${world.nameOf(asked.id)} was refused while it is in force`)
      if (stored !== undefined) expire(stored, 0)
    }
  }
}
