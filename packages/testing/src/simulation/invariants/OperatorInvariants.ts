import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { mayApprove, type Proposal } from "@surety/core/operator/approval/Proposal"
import type { OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import type { Sight } from "@surety/core/operator/PersonSights"
import { sightLasts } from "@surety/core/operator/sightsOf"
import { DateTime, Duration } from "effect"
import { type Cluster, mostSkewMillis } from "../world/Cluster.js"
import { observe } from "../world/observe.js"
import type { World } from "../world/World.js"
import { checkMove, isSameIn, plainTextOf } from "./Lifecycles.js"
import { watchTransfers } from "./TransferInvariants.js"

export interface OperatorBook {
  /** Records a successful call. `target` must have at least as many stored actions of `kind` as recorded calls. */
  readonly acted: (kind: OperatorActionKind, target: string) => void
  /**
   * Checks that an operator action lets the session see a person's details until exactly `until`. That time must not
   * have passed when the request was sent at `sinceMillis`, allowing for clock skew.
   */
  readonly saw: (sight: Sight, until: DateTime.Utc, sinceMillis: number) => void
  /** Checks that within an environment, an idempotency key always returns the same transfer. */
  readonly posted: (key: string, transfer: OperatorTransfer) => void
  /** Checks that an action in the list of `operator` is that operator's own. A no-op if `operator` is undefined. */
  readonly listed: (action: OperatorAction, operator: string | undefined) => void
}

const proposalOf = ({ changes }: OperatorAction): string | undefined => {
  const named = changes.find(({ field }) => field === "proposal")?.to
  return typeof named === "string" ? named : undefined
}

/**
 * Checks that stored actions never change, and that for the kinds in `counted`, each step stores one action per change.
 */
const watchActions = (world: World): void => {
  const { state } = world
  const due = new Map<OperatorActionKind, number>()
  const made = new Map<OperatorActionKind, number>()
  const owe = (kind: OperatorActionKind, count = 1): void => {
    due.set(kind, (due.get(kind) ?? 0) + count)
  }

  observe(state.operatorActions, (id, before, after) => {
    if (before !== undefined || after === undefined) {
      return world.violate("one_action_a_change", `${world.nameOf(id)} was changed or deleted`)
    }
    made.set(after.kind, (made.get(after.kind) ?? 0) + 1)
    world.reach(`action ${after.kind}`)
    world.tell(() => `${after.actor}: ${after.kind}`)
  })
  observe(state.operatorSessions, (_, before, after) => {
    if (before === undefined && after !== undefined) owe("session.opened")
  })
  observe(state.proposals, (_, before) => {
    if (before === undefined) owe("proposal.made")
  })
  observe(state.erasedPeople, () => {
    if (world.erasing?.actor.kind === "OPERATOR" || world.erasing?.actor.kind === "HOST") owe("person.erased")
  })
  observe(state.rightsRequests, (_, before, after) => {
    if (before?.status === "OPEN" && after?.closedBy !== undefined) owe("rights_request.closed")
  })
  observe(state.operatorTransfers, (_, before) => {
    if (before === undefined) owe("transfer.posted")
  })
  observe(state.merchantHistory, (_, before, after) => {
    // The first status change records the application. It is not an operator's change, so it needs no action.
    owe("merchant.status_changed", (after?.length ?? 0) - Math.max(1, before?.length ?? 0))
  })
  observe(state.consumers, (_, before, after) => {
    if (before === undefined || after === undefined) return
    const isSame = isSameIn(world, before, after, ["externalId", "displayName", "country", "email", "phoneVerified"])
    if (!isSame) owe("consumer.changed")
  })
  observe(state.grants, (_, before, after) => {
    const isEnd = before?.status === "ACTIVE" && after?.status === "REVOKED"
    if (isEnd && after.revokedBy?.kind === "OPERATOR" && world.erasing === undefined) owe("grant.revoked")
  })
  observe(state.dataRequests, (_, before, after) => {
    if (before?.request.status !== "PENDING" || after?.request.decidedBy?.kind !== "OPERATOR") return
    if (after.request.status === "APPROVED") owe("data_request.approved")
    if (after.request.status === "DENIED") owe("data_request.denied")
  })
  observe(state.askingBlocks, (_, before, after) => {
    if (before !== undefined && before.liftedAt === undefined && after?.liftedAt !== undefined)
      owe("asking_block.lifted")
  })
  observe(state.restrictions, (_, before, after) => {
    if (before === undefined && after !== undefined) owe("person.restricted")
    // An erasure deletes the person's restriction, but does not lift it.
    if (before !== undefined && after === undefined && world.erasing === undefined) owe("person.restriction_lifted")
  })
  const counted: ReadonlySet<OperatorActionKind> = new Set<OperatorActionKind>([
    "session.opened",
    "proposal.made",
    "person.erased",
    "person.restricted",
    "person.restriction_lifted",
    "rights_request.closed",
    "transfer.posted",
    "merchant.status_changed",
    "consumer.changed",
    "grant.revoked",
    "data_request.approved",
    "data_request.denied",
    "asking_block.lifted"
  ])
  world.afterStep(() => {
    if (due.size === 0 && made.size === 0) return
    for (const kind of counted) {
      const [changes, actions] = [due.get(kind) ?? 0, made.get(kind) ?? 0]
      world.require(
        changes === actions,
        "one_action_a_change",
        () => `${changes} changes left ${actions} actions ${kind}`
      )
    }
    due.clear()
    made.clear()
  })
}

const fixed = [
  "id",
  "environment",
  "command",
  "reason",
  "proposedBy",
  "proposedAt",
  "endsAt"
] as const satisfies ReadonlyArray<keyof Proposal>

/**
 * Checks that a proposal is carried out exactly once if approved, and otherwise never. Another operator must approve it
 * in time, and the change must be as proposed. A proposed erasure that has begun may be refused only if the person is
 * already erased. It also counts as begun if the host has erased the person and only this proposal can be the reason.
 */
const watchProposals = (world: World, { holder }: Cluster): void => {
  const { state } = world
  /** Proposals as of the previous step. */
  const known = new Map<string, Proposal>()
  const touched = new Set<string>()
  const carriedOut = new Map<string, Array<OperatorAction>>()
  observe(state.proposals, (id) => touched.add(id))
  observe(state.operatorActions, (_, before, after) => {
    const id = after === undefined || before !== undefined ? undefined : proposalOf(after)
    if (id === undefined || after === undefined) return
    carriedOut.set(id, [...(carriedOut.get(id) ?? []), after])
    touched.add(id)
  })

  const check = (id: string, before: Proposal | undefined, after: Proposal | undefined): void => {
    checkMove(world, "proposal", id, before?.status, after?.status)
    if (after === undefined) return
    const actions = carriedOut.get(id) ?? []
    const insist = (holds: boolean, why: () => string): void =>
      world.require(holds, "proposals_once", () => `${world.nameOf(id)} ${why()}`)
    if (before !== undefined) {
      insist(isSameIn(world, before, after, fixed), () => "is not what was proposed")
      insist(before.status === "OPEN" || plainTextOf(before) === plainTextOf(after), () => "changed after its end")
      insist(
        before.begunAt === undefined || plainTextOf(before.begunAt) === plainTextOf(after.begunAt),
        () => "began again"
      )
    }
    insist(
      actions.length === (after.status === "APPROVED" ? 1 : 0),
      () => `is ${after.status} and was carried out ${actions.length} times`
    )
    if (after.status === "REFUSED") {
      const { command, environment } = after
      const isErasure = command._tag === "Erasure"
      const isErased = isErasure && state.erasedPeople.has(`${environment}/${command.serviceId}`)
      // Another proposal may have begun to erase the same person. The holder's erasure therefore does not prove that
      // this proposal began.
      const isOthers = [...state.proposals.values()].some(
        ({ proposal: other }) =>
          other.id !== id &&
          other.begunAt !== undefined &&
          other.command._tag === "Erasure" &&
          isErasure &&
          other.command.serviceId === command.serviceId
      )
      const isHalf =
        isErasure &&
        holder.hasErased(command.serviceId) &&
        !holder.asksAlone.has(command.serviceId) &&
        !isOthers &&
        !isErased
      insist((after.begunAt === undefined || isErased) && !isHalf, () => "was refused after it had begun")
    }
    if (after.status !== "APPROVED" || before?.status === "APPROVED") return
    const { decidedAt, decidedBy = "" } = after
    const open: Proposal = { ...after, status: "OPEN" }
    insist(
      decidedAt !== undefined && mayApprove(open, decidedBy, decidedAt),
      () => `was approved by ${decidedBy}, or too late`
    )
    insist(isAsProposed(world, after), () => "came to something else than was proposed")
  }
  world.afterStep(() => {
    for (const id of touched) {
      const current = [...state.proposals.values()].find(({ proposal }) => proposal.id === id)?.proposal
      check(id, known.get(id), current)
      if (current !== undefined) known.set(id, current)
    }
    touched.clear()
  })
}

/** True if the proposed erasure is done, or if the posted transfer has the proposed values. */
const isAsProposed = ({ state }: World, { command, environment, id, reason, transferId }: Proposal): boolean => {
  if (command._tag === "Erasure") return state.erasedPeople.has(`${environment}/${command.serviceId}`)
  const transfers = [...state.operatorTransfers.entries()].filter(([key]) => key === `${environment}/${id}`)
  const [posted] = transfers.map(([_, one]) => one.posted)
  return (
    posted !== undefined &&
    posted.id === transferId &&
    posted.kind === command.kind &&
    posted.amount.minor === command.amount.minor &&
    posted.amount.currency === command.amount.currency &&
    posted.merchantId === command.merchantId &&
    posted.serviceId === command.serviceId &&
    posted.reason === reason &&
    (command.kind !== "ADJUSTMENT" || posted.direction === (command.direction ?? "CREDIT"))
  )
}

export const watchOperators = (world: World, cluster: Cluster): OperatorBook => {
  const { state } = world
  const answered = new Map<string, number>()
  const posted = new Map<string, string>()
  watchActions(world)
  watchProposals(world, cluster)
  watchTransfers(world)
  const actions = (kind: OperatorActionKind, target: string): ReadonlyArray<OperatorAction> =>
    [...state.operatorActions.values()].filter((action) => action.kind === kind && action.target === target)
  return {
    acted: (kind, target) => {
      const name = `${kind} ${target}`
      const count = (answered.get(name) ?? 0) + 1
      answered.set(name, count)
      world.require(
        actions(kind, target).length >= count,
        "one_action_a_change",
        () => `${kind} was answered ${count} times and left ${actions(kind, target).length} actions`
      )
    },
    saw: ({ serviceId, session }, until, sinceMillis) => {
      const lastsMillis = Duration.toMillis(sightLasts)
      const given = actions("person.looked_at", serviceId).some(
        ({ at, changes }) =>
          changes.some(({ to }) => to === session) &&
          DateTime.toEpochMillis(at) + lastsMillis === DateTime.toEpochMillis(until)
      )
      const isOver = DateTime.toEpochMillis(until) < sinceMillis - 2 * mostSkewMillis
      world.require(
        given && !isOver,
        "one_action_a_change",
        () => `${world.nameOf(session)} sees what it did not uncover`
      )
      world.reach("person's details seen")
    },
    posted: (key, { environment, id }) => {
      const name = `${environment}/${key}`
      const first = posted.get(name) ?? id
      posted.set(name, first)
      world.require(first === id, "answers_never_change", () => `${key} was answered two transfers`)
    },
    listed: ({ actor, id }, operator) =>
      world.require(
        operator === undefined || actor === operator,
        "own_records_only",
        () => `${world.nameOf(id)} of ${actor} was listed as ${operator}'s`
      )
  }
}
