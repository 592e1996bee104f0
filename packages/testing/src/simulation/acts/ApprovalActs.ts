import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import type { Proposal, ProposedCommand } from "@surety/core/operator/approval/Proposal"
import { DateTime, Duration, Effect } from "effect"
import { mostSkewMillis } from "../world/Cluster.js"
import { drawnTransfer } from "./ConsoleActs.js"
import { operators } from "./PersonActs.js"
import { type Act, callAs, personOf, type Scene, scopeOf } from "./Scene.js"

const commandOf = (scene: Scene, act: Act): Pick<Proposal, "command" | "environment"> => {
  const { amount, direction, environment, kind, party } = drawnTransfer(scene, act)
  const command: ProposedCommand = act.draw.chance(0.45)
    ? { _tag: "Erasure", serviceId: personOf(scene, { ...scopeOf(scene, act.draw), environment }, act.draw).serviceId }
    : { _tag: "Transfer", kind, ...(direction === undefined ? {} : { direction }), amount, ...party }
  return { command, environment }
}

export const propose = (scene: Scene, act: Act): void => {
  const key = IdempotencyKey.make(`proposal-${act.draw.below(scene.world.draw("proposal keys").pick([8, 30]))}`)
  const wanted = act.draw.chance(0.85) ? { label: String(key), draw: scene.world.draw(key) } : act
  const proposed = commandOf(scene, wanted)
  const actor = wanted.draw.pick(operators)
  callAs(scene, {
    act,
    does: `proposes ${proposed.command._tag === "Erasure" ? "to erase a person" : `${proposed.command.kind} of ${proposed.command.amount.minor}`} by ${key}, as ${actor}`,
    call: Effect.flatMap(Approvals, (approvals) =>
      approvals.propose(key, { ...proposed, reason: `as agreed for ${key}`, actor })
    ),
    repeats: 2
  })
}

const pickProposal = ({ world }: Scene, { draw }: Act): Proposal | undefined => {
  const all = [...world.state.proposals.values()].map(({ proposal }) => proposal)
  const open = all.filter(({ status }) => status === "OPEN")
  const candidates = open.length > 0 && draw.chance(0.8) ? open : all.slice(-3)
  // Among several open proposals, sometimes picks the oldest, which may have expired.
  if (open.length > 1 && draw.chance(0.3)) return open[0]
  return candidates.length === 0 ? undefined : draw.pick(candidates)
}

const proposalMillis = Duration.toMillis(Duration.hours(24))

/**
 * An operator approves a proposal, perhaps their own, perhaps with a wrong amount. Sometimes two approvals, each by an
 * operator drawn at random, run at the same time.
 */
export const approve = (scene: Scene, act: Act): void => {
  const proposal = pickProposal(scene, act)
  if (proposal === undefined) {
    propose(scene, act)
    return
  }
  const { command, environment, id, proposedBy } = proposal
  const times = act.draw.chance(0.3) ? 2 : 1
  const isSlip = act.draw.chance(0.1)
  // Sometimes an operator refuses or withdraws a proposal while the approval runs.
  if (act.draw.chance(command._tag === "Erasure" ? 0.6 : 0.2)) {
    const meanwhile = { label: `${act.label} refusal`, draw: scene.world.draw(`${act.label} refusal`) }
    scene.world.agenda.after(act.draw.between(5, 35), 0, () => withdraw(scene, meanwhile))
  }
  for (let time = 1; time <= times; time += 1) {
    const draw = scene.world.draw(`${act.label} approval ${time}`)
    const actor = draw.pick(operators)
    const confirmation =
      command._tag === "Erasure"
        ? { serviceId: command.serviceId }
        : { amount: isSlip ? { ...command.amount, minor: command.amount.minor + 1n } : command.amount }
    const call = Effect.flatMap(Approvals, (approvals) =>
      Effect.tap(approvals.approve({ environment, id, actor, confirmation, reason: "checked" }), () =>
        approvals.list(environment, "APPROVED", { limit: 5, cursor: undefined })
      )
    )
    callAs(scene, {
      act: { label: `${act.label} approval ${time}`, draw },
      does: `approves ${scene.world.nameOf(id)}, as ${actor}`,
      call,
      repeats: 2,
      onSuccess: ({ status }, sentAtMillis) => {
        const endsAtMillis = DateTime.toEpochMillis(proposal.proposedAt) + proposalMillis + mostSkewMillis
        scene.world.require(
          sentAtMillis <= endsAtMillis,
          "proposals_once",
          () => `${scene.world.nameOf(id)} was approved after its end`
        )
        scene.world.require(
          status === "APPROVED" && actor !== proposedBy && !(isSlip && command._tag === "Transfer"),
          "proposals_once",
          () =>
            `${scene.world.nameOf(id)} of ${proposedBy} was answered ${status} to ${actor}${isSlip ? ", who mistyped it" : ""}`
        )
      }
    })
  }
}

export const approveLate = (scene: Scene, act: Act): void => {
  scene.world.tell(() => "25 hours pass")
  scene.world.agenda.leap(25 * 3_600_000)
  approve(scene, act)
}

/** An operator refuses a proposal, or withdraws their own. */
export const withdraw = (scene: Scene, act: Act): void => {
  const { cluster, world } = scene
  // Often picks an open proposal to erase a person whom the host has already erased.
  const begun = [...world.state.proposals.values()]
    .map(({ proposal }) => proposal)
    .find(
      ({ command, status }) =>
        status === "OPEN" && command._tag === "Erasure" && cluster.holder.hasErased(command.serviceId)
    )
  const proposal = begun !== undefined && act.draw.chance(0.7) ? begun : pickProposal(scene, act)
  if (proposal === undefined) {
    propose(scene, act)
    return
  }
  const { environment, id } = proposal
  const actor = act.draw.pick(operators)
  callAs(scene, {
    act,
    does: `refuses ${scene.world.nameOf(id)}, as ${actor}`,
    call: Effect.flatMap(Approvals, (approvals) => approvals.refuse({ environment, id, actor, reason: "not so" })),
    repeats: 1
  })
}
