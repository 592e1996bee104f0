import { NGN } from "@surety/core/Currency"
import type { HostRequestOutcome } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { OperatorActionId } from "@surety/core/Ids"
import { transferOf } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { post } from "@surety/core/memory/ledger/MemoryBooks"
import { environmentKey } from "@surety/core/memory/MemoryState"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { DateTime, Effect, Option } from "effect"
import { after, broken, edit, editAll, faultsOf, instead } from "../../faults/Fault.js"
import { type Mistake, ofStore, years } from "./Mistake.js"

const actions = faultsOf(OperatorActionStore)
const proposals = faultsOf(ProposalStore)
const operatorTransfers = faultsOf(OperatorTransferStore)
const queue = faultsOf(HostRequestStore)

/** A proposal store whose proposals never expire. */
const endless = broken(ProposalStore, "approves what has ended", [], (sound) => ({
  find: (environment, id) =>
    Effect.map(
      sound.find(environment, id),
      Option.map((proposal) => ({ ...proposal, endsAt: DateTime.add(proposal.endsAt, years) }))
    ),
  carryOut: (decision, change) =>
    Effect.flatMap(sound.find(decision.environment, decision.id), (found) =>
      sound.carryOut(Option.isNone(found) ? decision : { ...decision, at: found.value.proposedAt }, change)
    )
}))

const doneAlready: HostRequestOutcome = {
  _tag: "Done",
  result: { id: "nothing", status: "DONE", amountMinor: 1n, currency: NGN }
}

/** Mistakes in operators' actions, proposals and transfers, and in the queue of host requests. */
export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "one_action_a_change",
    instead(actions("commit", "loses the action of a change"), (commit) => (change) => commit(change, () => undefined))
  ),
  ofStore(
    "one_action_a_change",
    instead(
      actions("commit", "keeps the action of a change twice"),
      (commit, state) => (change, describe) =>
        Effect.tap(commit(change, describe), () =>
          Effect.sync(() => {
            const last = [...state.operatorActions.values()].at(-1)
            if (last === undefined) return
            const id = OperatorActionId.make(`${last.id.slice(0, -1)}0`)
            state.operatorActions.set(id, { ...last, id })
          })
        )
    )
  ),
  ofStore(
    ["proposals_once", "one_action_a_change", "lifecycle"],
    instead(
      proposals("carryOut", "leaves an approved proposal open"),
      (carryOut, state) => (decision, change) =>
        Effect.tap(carryOut(decision, change), () =>
          Effect.sync(() =>
            edit(state.proposals, decision.id, (stored) => ({
              ...stored,
              proposal: { ...stored.proposal, status: "OPEN" as const }
            }))
          )
        )
    ),
    "proposals"
  ),
  ofStore(
    "proposals_once",
    instead(
      proposals("carryOut", "carries out another proposal"),
      (carryOut, state) => (decision, change) =>
        carryOut(decision, (proposal) => change([...state.proposals.values()].at(-1)?.proposal ?? proposal))
    ),
    "proposals"
  ),
  ofStore("proposals_once", endless, "proposals"),
  ofStore(
    "proposals_once",
    after(proposals("begin", "forgets that an erasure has begun"), (state, _, [{ id }]) =>
      edit(state.proposals, id, (stored) => {
        const { begunAt: _begunAt, ...proposal } = stored.proposal
        return { ...stored, proposal }
      })
    ),
    "proposals"
  ),
  ofStore(
    "books_balance",
    instead(
      operatorTransfers("post", "takes more than an account has"),
      (_, state) =>
        ({ posted, idempotencyKey, fingerprint }) =>
          Effect.sync(() => {
            const key = environmentKey(posted.environment, idempotencyKey)
            const prior = state.operatorTransfers.get(key)
            if (prior !== undefined) return { _tag: "Existing" as const, ...prior }
            state.operatorTransfers.set(key, { posted, fingerprint })
            post(state, transferOf(posted))
            return { _tag: "Posted" as const }
          })
    ),
    "transfers"
  ),
  ofStore(
    "host_requests_once",
    instead(
      queue("settle", "calls done what it never did"),
      (settle) => (leased, now, work) =>
        settle(
          leased,
          now,
          Effect.map(Effect.when(work, Effect.succeed(false)), () => doneAlready)
        )
    ),
    "queue"
  ),
  ofStore(
    ["host_requests_once", "nothing_open_for_ever"],
    instead(
      queue("settle", "stores the work of a request without its outcome"),
      (_settle, state) =>
        ({ fence, key }, _now, work) =>
          Effect.suspend(() =>
            state.hostRequests.get(key)?.fence === fence ? Effect.map(work, () => Option.none()) : Effect.succeedNone
          )
    ),
    "queue"
  ),
  ofStore(
    ["host_requests_once", "one_holder"],
    instead(
      queue("claim", "takes up the newest of a queue first"),
      (claim, state) => (asked) =>
        Effect.suspend(() => {
          const turn = () => editAll(state.hostRequests, (stored) => ({ ...stored, place: -stored.place }))
          turn()
          return Effect.tap(claim(asked), () => Effect.sync(turn))
        })
    ),
    "queue"
  )
]
