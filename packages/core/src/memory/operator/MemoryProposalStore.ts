import { type DateTime, Effect, Layer, Option } from "effect"
import type { Environment } from "../../Environment.js"
import type { ProposalId } from "../../Ids.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import { mayApprove, type Proposal, statusAt } from "../../operator/approval/Proposal.js"
import { type ProposalDecision, ProposalStore, type ProposeOutcome } from "../../operator/approval/ProposalStore.js"
import { requireThat } from "../ConstraintViolated.js"
import { listRecords, positionAt } from "../MemoryList.js"
import { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

const storedOf = ({ proposals }: State, { environment, id }: Pick<ProposalDecision, "environment" | "id">) => {
  const stored = proposals.get(id)
  return stored?.proposal.environment === environment ? stored : undefined
}

const underKey = ({ proposals }: State, environment: Environment, idempotencyKey: IdempotencyKey) =>
  [...proposals.values()].find(
    (stored) => stored.proposal.environment === environment && stored.idempotencyKey === idempotencyKey
  )

const put = ({ proposals }: State, proposal: Proposal): void => {
  const stored = proposals.get(proposal.id)
  if (stored !== undefined) proposals.set(proposal.id, { ...stored, proposal })
}

const isOpenAt = (proposal: Proposal, at: DateTime.Utc): boolean => statusAt(proposal, at) === "OPEN"

export const make = (state: State): ProposalStore["Service"] =>
  ProposalStore.of({
    propose: ({ fingerprint, idempotencyKey, proposal }) =>
      Effect.sync((): ProposeOutcome => {
        const prior = underKey(state, proposal.environment, idempotencyKey)
        if (prior !== undefined) {
          return { _tag: "Existing", proposal: prior.proposal, fingerprint: prior.fingerprint }
        }
        requireThat(!state.proposals.has(proposal.id), "a proposal's id is new", proposal.id)
        state.proposals.set(proposal.id, { proposal, idempotencyKey, fingerprint })
        return { _tag: "Proposed" }
      }),

    find: (environment: Environment, id: ProposalId) =>
      Effect.sync(() => Option.fromUndefinedOr(storedOf(state, { environment, id })?.proposal)),

    findByKey: (environment, idempotencyKey) =>
      Effect.sync(() => Option.fromUndefinedOr(underKey(state, environment, idempotencyKey)?.proposal)),

    list: ({ environment, erasureOf, now, status }, page) =>
      listRecords(
        () => [...state.proposals.values()].map(({ proposal }) => proposal),
        {
          where: (proposal) =>
            proposal.environment === environment &&
            (status === undefined || statusAt(proposal, now) === status) &&
            (erasureOf === undefined ||
              (proposal.command._tag === "Erasure" && proposal.command.serviceId === erasureOf)),
          position: ({ id, proposedAt }) => positionAt(proposedAt, id)
        },
        page
      ),

    // Approves the proposal before the change, so that no other fiber makes the change too. Reverts the approval if the
    // change fails. A crash in between loses the whole state, including the change.
    carryOut: <A, E, R>(
      decision: ProposalDecision,
      change: Parameters<typeof ProposalStore.Service.carryOut<A, E, R>>[1]
    ) =>
      Effect.suspend(() => {
        const open = storedOf(state, decision)?.proposal
        if (open === undefined || !mayApprove(open, decision.by, decision.at)) return Effect.succeedNone
        const approved: Proposal = { ...open, status: "APPROVED", decidedBy: decision.by, decidedAt: decision.at }
        put(state, approved)
        return change(open).pipe(
          Effect.map(({ result, transferId }) => {
            const proposal = { ...approved, ...(transferId === undefined ? {} : { transferId }) }
            put(state, proposal)
            return Option.some({ proposal, result })
          }),
          Effect.onError(() => Effect.sync(() => put(state, open)))
        )
      }).pipe(Effect.uninterruptible),

    begin: (decision) =>
      Effect.sync(() => {
        const open = storedOf(state, decision)?.proposal
        if (open === undefined || !mayApprove(open, decision.by, decision.at)) return false
        if (open.begunAt === undefined) put(state, { ...open, begunAt: decision.at })
        return true
      }),

    refuse: (decision, refusal, begun) =>
      Effect.sync(() => {
        const open = storedOf(state, decision)?.proposal
        if (open === undefined || !isOpenAt(open, decision.at)) return Option.none()
        if (open.begunAt !== undefined && begun === "KEEP_BEGUN") return Option.none()
        const refused: Proposal = {
          ...open,
          status: "REFUSED",
          decidedBy: decision.by,
          decidedAt: decision.at,
          refusal
        }
        put(state, refused)
        return Option.some(refused)
      })
  })

export const layer: Layer.Layer<ProposalStore, never, MemoryState> = Layer.effect(
  ProposalStore,
  Effect.map(MemoryState, make)
)
