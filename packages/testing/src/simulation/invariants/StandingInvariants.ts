import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import { environmentKey } from "@surety/core/memory/MemoryState"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { DateTime } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn, type LifecycleName, type Statuses } from "./Lifecycles.js"

/**
 * Checks the lifecycle of records that have no status field. `standingOf` derives the status of a stored record,
 * `ended` the status of a deleted one.
 */
const watchStanding = <N extends LifecycleName, V>(
  world: World,
  name: N,
  records: Map<string, V>,
  standingOf: (record: V) => Statuses[N],
  ended: (record: V) => Statuses[N]
): void => {
  const last = new Map<string, Statuses[N]>()
  observe(records, (key, before, after) => {
    // An erasure deletes the person's links, blocks and restriction. `watchErasures` checks erasures, so these
    // deletions are not checked here.
    if (before !== undefined && after === undefined && world.erasing !== undefined) return
    const to = after !== undefined ? standingOf(after) : before === undefined ? undefined : ended(before)
    if (to === undefined) return
    if (!last.has(key)) world.call(key, `${name} ${last.size + 1}`)
    checkMove(world, name, key, last.get(key), to)
    last.set(key, to)
  })
}

const blockFields = [
  "merchantId",
  "environment",
  "userId",
  "serviceId",
  "reason",
  "dataRequestId",
  "blockedAt"
] as const

const standingOfBlock = ({ liftedAt }: AskingBlock): Statuses["asking block"] =>
  liftedAt === undefined ? "BLOCKING" : "LIFTED"

const watchBlocks = (world: World): void => {
  const { askingBlocks } = world.state
  watchStanding(world, "asking block", askingBlocks, standingOfBlock, standingOfBlock)
  observe(askingBlocks, (key, before, after) => {
    if (world.erasing !== undefined || before === undefined) return
    if (after === undefined) return world.violate("lifecycle", `${world.nameOf(key)} was deleted`)
    const isStricter = before.reason === "STOP_ASKING" && after.reason === "NOT_ME"
    const isAnother = after.liftedAt === undefined && (before.liftedAt !== undefined || isStricter)
    const isSame = isAnother || isSameIn(world, before, after, blockFields)
    world.require(isSame, "lifecycle", () => `${world.nameOf(key)} changed`)
  })
}

const sessionEnd = (world: World, { endsAt, lastUsedAt }: OperatorSession): Statuses["session"] => {
  const now = world.nowMillis + mostSkewMillis
  if (DateTime.toEpochMillis(endsAt) <= now) return "EXPIRED"
  return DateTime.toEpochMillis(DateTime.add(lastUsedAt, { minutes: 30 })) <= now ? "IDLE" : "ENDED"
}

const watchMerchants = (world: World): void => {
  const { state } = world
  const fresh = new Set<string>()
  observe(state.merchants, (id, before, after) => {
    checkMove(world, "merchant", id, before?.status, after?.status)
    fresh.add(id)
  })
  observe(state.merchantHistory, (id, before = [], after = []) => {
    const isLonger = before.every((change, index) => change === after[index]) && after.length > before.length
    world.require(isLonger, "lifecycle", () => `the history of ${world.nameOf(id)} changed`)
  })
  world.afterStep(() => {
    if (fresh.size === 0) return
    for (const { id, status } of state.merchants.values()) {
      const last = state.merchantHistory.get(id)?.at(-1)
      const isKept = !fresh.has(id) || last?.to === status
      world.require(isKept, "lifecycle", () => `${world.nameOf(id)} is ${status}, and its history ends at ${last?.to}`)
    }
    fresh.clear()
  })
}

/** Checks the lifecycles of merchants, endpoints, sessions, blocks, restrictions, links and people. */
export const watchStandings = (world: World): void => {
  const { state } = world
  watchMerchants(world)
  watchBlocks(world)
  observe(state.endpoints, (id, before, after) => {
    if (before === undefined && after === undefined) return
    checkMove(world, "endpoint", id, before?.status, after?.status ?? "REMOVED")
  })
  observe(state.operatorSessions, (_, before, after) => {
    const id = before?.id ?? after?.id ?? ""
    const to = after !== undefined ? "OPEN" : before === undefined ? undefined : sessionEnd(world, before)
    checkMove(world, "session", id, before && "OPEN", to)
  })
  watchStanding(
    world,
    "restriction",
    state.restrictions,
    () => "RESTRICTED",
    () => "LIFTED"
  )
  watchStanding(
    world,
    "link",
    state.consumerLinks,
    () => "LINKED",
    () => "UNLINKED"
  )
  observe(state.consumers, (_, before, after) => {
    const id = before?.userId ?? after?.userId ?? ""
    const to = after === undefined ? "ERASED" : (after.kycStatus ?? "UNVERIFIED")
    checkMove(world, "person", id, before && (before.kycStatus ?? "UNVERIFIED"), to)
    if (after !== undefined || before === undefined) return
    const isErasure = world.erasing?.person.userId === before.userId
    const isHere = state.consumers.has(environmentKey(before.environment, before.userId))
    world.require(isErasure && !isHere, "lifecycle", () => `${world.nameOf(id)} was deleted without an erasure`)
  })
}
