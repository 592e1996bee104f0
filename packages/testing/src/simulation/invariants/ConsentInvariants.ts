import { askDay } from "@surety/core/consent/asking/AskLimits"
import { isSameSet } from "@surety/core/consent/asking/decideAsk"
import type { Grant } from "@surety/core/consent/grant/Grant"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { type DataRequest, wasAsked } from "@surety/core/consent/request/DataRequest"
import { isOf, scopedKey } from "@surety/core/memory/MemoryState"
import { statusIn } from "@surety/core/memory/merchant/MemoryMerchantStore"
import { hasSandboxAccess } from "@surety/core/merchant/Merchant"
import { DateTime, Duration } from "effect"
import { askLimits, mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { watchChains } from "./ChainInvariants.js"
import { checkMove, isSameIn } from "./Lifecycles.js"

const requestFields = [
  "id",
  "merchantId",
  "environment",
  "userId",
  "serviceId",
  "requestedFields",
  "purpose",
  "createdAt"
] as const satisfies ReadonlyArray<keyof DataRequest>

const grantFields = [
  "id",
  "merchantId",
  "environment",
  "userId",
  "fields",
  "purpose",
  "origin",
  "dataRequestId",
  "grantedAt"
] as const satisfies ReadonlyArray<keyof Grant>

const readFields = ["id", "merchantId", "environment", "userId", "fields", "readAt"] as const satisfies ReadonlyArray<
  keyof IdentityRead
>

const millisOf = DateTime.toEpochMillis

const isBounded = (world: World, { environment, userId }: Pick<DataRequest, "environment" | "userId">): boolean =>
  environment === "LIVE" || world.state.consumers.get(`${environment}/${userId}`)?.askLimits === true

/**
 * Checks a new pending request against the merchant's other requests to that person. It must not duplicate an open one.
 * If the person has limits on asking, the request must also respect those limits and the person's block.
 */
const checkAsking = (world: World, asked: DataRequest): void => {
  if (asked.status !== "PENDING") return
  const block = world.state.askingBlocks.get(scopedKey(asked, asked.userId))
  const others = [...world.state.dataRequests.values()]
    .map(({ request }) => request)
    .filter((request) => request.id !== asked.id && request.userId === asked.userId && isOf(asked, request))
  const at = millisOf(asked.createdAt)
  const equal = others.filter(
    (request) => request.purpose === asked.purpose && isSameSet(request.requestedFields, asked.requestedFields)
  )
  const isOpen = ({ expiresAt, status }: DataRequest) => status === "PENDING" && millisOf(expiresAt) > at
  const name = () => `${world.nameOf(asked.id)} asks ${world.nameOf(asked.userId)}`
  world.require(!equal.some(isOpen), "asking_bounds", () => `${name()} what is asked already`)
  if (!isBounded(world, asked)) return
  world.require(
    block === undefined || block.liftedAt !== undefined,
    "not_me_is_final",
    () => `${name()}, who has stopped that`
  )
  const open = others.filter(isOpen).length
  world.require(open < askLimits.open, "asking_bounds", () => `${name()} besides ${open} open questions`)
  const recent = others.filter(
    (request) => wasAsked(request) && millisOf(request.createdAt) + Duration.toMillis(askDay) > at
  ).length
  world.require(recent < askLimits.perDay, "asking_bounds", () => `${name()} after ${recent} questions within a day`)
  const denied = equal.some(({ decidedAt, status }) => {
    if (status !== "DENIED" || decidedAt === undefined) return false
    if (block?.liftedAt !== undefined && DateTime.isLessThanOrEqualTo(decidedAt, block.liftedAt)) return false
    return millisOf(decidedAt) + Duration.toMillis(askLimits.againAfter) > at
  })
  world.require(!denied, "asking_bounds", () => `${name()} what was denied within a day`)
}

/** True if a record's expiry is unchanged, or was brought forward in TEST while the record was open. */
const endsAsSaid = (
  before: Pick<Grant, "environment" | "expiresAt">,
  after: Pick<Grant, "expiresAt">,
  isOpen: boolean
): boolean =>
  DateTime.Equivalence(before.expiresAt, after.expiresAt) ||
  (before.environment === "TEST" && isOpen && DateTime.isLessThan(after.expiresAt, before.expiresAt))

const watchRequests = (world: World): void => {
  const { state } = world
  const decided = new Set<DataRequest>()
  observe(state.dataRequests, (id, before, after) => {
    if (after === undefined) return world.violate("lifecycle", `${world.nameOf(id)} was deleted`)
    const { request } = after
    const from = before?.request
    checkMove(world, "data request", id, from?.status, request.status)
    if (from === undefined) return checkAsking(world, request)
    const isKept = isSameIn(world, from, request, requestFields) && endsAsSaid(from, request, from.status === "PENDING")
    world.require(isKept, "lifecycle", () => `${world.nameOf(id)} changed`)
    const isSame =
      from.status === "PENDING" || isSameIn(world, from, request, ["decidedAt", "approvedFields", "grantId"])
    world.require(isSame, "lifecycle", () => `the decision of ${world.nameOf(id)} changed`)
    world.require(
      before?.kept === undefined || after.kept === undefined || before.kept.answer === after.kept.answer,
      "answers_never_change",
      () => `the stored answer of ${world.nameOf(id)} changed`
    )
    if (from.status === "PENDING" && request.status !== "PENDING") decided.add(request)
  })
  world.afterStep(() => {
    for (const request of decided) checkDecision(world, request)
    decided.clear()
  })
  world.atRest(() => {
    for (const { request } of state.dataRequests.values()) {
      const isOver = request.status !== "PENDING"
      world.require(isOver, "nothing_open_for_ever", () => `${world.nameOf(request.id)} is PENDING`)
    }
  })
}

const checkDecision = (world: World, request: DataRequest): void => {
  const { approvedFields, denialReason, expiresAt, grantId, id, requestedFields, status } = request
  const grants = [...world.state.grants.values()].filter(({ dataRequestId }) => dataRequestId === id)
  if (status === "APPROVED") {
    const [grant] = grants
    const fits =
      grants.length === 1 &&
      grant?.id === grantId &&
      isSameSet(grant?.fields ?? [], approvedFields ?? []) &&
      grant?.fields.every((field) => requestedFields.includes(field)) === true
    world.require(fits, "reads_need_grant", () => `${world.nameOf(id)} is APPROVED and its grant is another`)
    checkReturn(world, request)
    return
  }
  world.require(grants.length === 0, "not_me_is_final", () => `${world.nameOf(id)} is ${status} and has a grant`)
  if (status === "EXPIRED") {
    const isDue = millisOf(expiresAt) <= world.nowMillis + mostSkewMillis
    world.require(isDue, "lifecycle", () => `${world.nameOf(id)} expired before its time`)
  }
  checkReturn(world, request)
  if (denialReason !== "NOT_ME") return
  world.reach("person disowned a request")
  const block = world.state.askingBlocks.get(scopedKey(request, request.userId))
  world.require(
    block !== undefined && block.liftedAt === undefined && block.reason === "NOT_ME",
    "not_me_is_final",
    () => `${world.nameOf(id)} was not for ${world.nameOf(request.userId)}, and the merchant is not blocked`
  )
}

/**
 * Checks that a person's own decision created one management link, for revoking consents. A `NOT_ME` denial must have
 * created none.
 */
const checkReturn = (world: World, { decidedBy, denialReason, id }: DataRequest): void => {
  if (decidedBy?.kind !== "PERSON") return
  const links = [...world.state.managementLinks.values()].filter(({ dataRequestId }) => dataRequestId === id)
  world.require(
    links.length === (denialReason === "NOT_ME" ? 0 : 1),
    "own_consents_only",
    () => `the decision on ${world.nameOf(id)} led to ${links.length} management links`
  )
}

/**
 * Checks that a "not me" block allows no new grant. A "stop asking" block allows only a grant by the person. Lifted
 * blocks are ignored. For people in TEST without limits on asking, the check covers only grants for requests made
 * before the block.
 */
const checkBlock = (world: World, grant: Grant): void => {
  const block = world.state.askingBlocks.get(scopedKey(grant, grant.userId))
  const request = grant.dataRequestId && world.state.dataRequests.get(grant.dataRequestId)?.request
  const isEarlier = block && request && DateTime.isLessThanOrEqualTo(request.createdAt, block.blockedAt)
  if (block === undefined || block.liftedAt !== undefined || !(isEarlier || isBounded(world, grant))) return
  const isOwn = block.reason === "STOP_ASKING" && grant.grantedBy.kind === "PERSON"
  world.require(
    isOwn,
    "not_me_is_final",
    () => `${world.nameOf(grant.id)} was made for a merchant that ${world.nameOf(grant.userId)} has blocked`
  )
}

const watchGrants = (world: World): void => {
  const { state } = world
  observe(state.grants, (id, before, after) => {
    checkMove(world, "grant", id, before?.status, after?.status)
    if (after === undefined) return
    if (before !== undefined) {
      const isKept =
        isSameIn(world, before, after, grantFields) && endsAsSaid(before, after, before.status === "ACTIVE")
      world.require(isKept, "lifecycle", () => `${world.nameOf(id)} changed`)
      const isEarly = after.status === "EXPIRED" && millisOf(after.expiresAt) > world.nowMillis + mostSkewMillis
      return world.require(!isEarly, "lifecycle", () => `${world.nameOf(id)} expired before its time`)
    }
    const status = statusIn(state, after.merchantId)
    world.require(
      hasSandboxAccess(status),
      "reads_need_grant",
      () => `${world.nameOf(id)} was made for a merchant that is ${status}`
    )
    checkBlock(world, after)
    const request = after.dataRequestId && state.dataRequests.get(after.dataRequestId)?.request
    world.require(
      request?.denialReason === undefined,
      "not_me_is_final",
      () => `${world.nameOf(id)} came after a denial`
    )
  })
  observe(state.identityReads, (id, before, read) => {
    // A read may change in only two ways: retention deletes it, or an erasure replaces its user id with the pseudonym.
    if (before !== undefined && read === undefined) return
    if (before !== undefined && read !== undefined && isSameIn(world, before, read, readFields)) return
    if (before !== undefined || read === undefined) {
      return world.violate("reads_need_grant", `${world.nameOf(id)} was changed or deleted`)
    }
    world.reach("identity read")
    const inForce = [...state.grants.values()].filter(
      (grant) =>
        grant.userId === read.userId &&
        isOf(read, grant) &&
        grant.status === "ACTIVE" &&
        DateTime.isLessThan(read.readAt, grant.expiresAt)
    )
    const granted = new Set<string>(inForce.flatMap(({ fields }) => fields))
    const unapproved = read.fields.filter((field) => !granted.has(field) && field !== "service_id")
    world.require(
      inForce.length > 0 && unapproved.length === 0,
      "reads_need_grant",
      () =>
        `${world.nameOf(id)} reads ${unapproved.join(", ") || "details"} of ${world.nameOf(read.userId)} without a grant`
    )
  })
  world.atRest(() => {
    for (const { expiresAt, id, status } of state.grants.values()) {
      const isOver = status !== "ACTIVE" || millisOf(expiresAt) > world.nowMillis - 60_000
      world.require(isOver, "nothing_open_for_ever", () => `${world.nameOf(id)} is ACTIVE after its end`)
    }
  })
}

export const watchConsent = (world: World): void => {
  watchRequests(world)
  watchGrants(world)
  watchChains(world)
}
