import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import { ProposalId } from "../../Ids.js"
import { isSameRequest } from "../../idempotency/Fingerprint.js"
import { IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { OperatorTransfer } from "../../ledger/OperatorTransfer.js"
import {
  type OperatorTransferInput,
  OperatorTransfers,
  type PostedTransfer,
  type PostFailed,
  transferPosted
} from "../../ledger/OperatorTransfers.js"
import type { Page, PageRequest } from "../../Page.js"
import { PersonRights } from "../../person/PersonRights.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring } from "../../secret/Keyring.js"
import { OperatorActions } from "../OperatorActions.js"
import {
  ConfirmationDiffers,
  ProposalClosed,
  ProposalNotFound,
  ProposedChangeRefused,
  SecondOperatorRequired
} from "./ApprovalError.js"
import {
  type ApproveError,
  type CarryOutError,
  canBeRepeated,
  OvertakenApproval,
  refusalByTag
} from "./approvalFailures.js"
import { FourEyes, movedBy, needsSecond, needsSecondAfter } from "./FourEyes.js"
import { isSameOperator, type Proposal, type ProposalStatus, type ProposedTransfer, statusAt } from "./Proposal.js"
import { type BegunProposals, type CarriedOut, type ProposalDecision, ProposalStore } from "./ProposalStore.js"
import {
  type ApprovalCommand,
  approvedBy,
  type Confirmation,
  canonical,
  changesOf,
  isConfirmedBy,
  openProposal,
  type ProposalInput,
  subjectOf,
  transferInput
} from "./proposedChange.js"

/** Four eyes: changes that one operator proposes and another must approve. */
export class Approvals extends Context.Service<
  Approvals,
  {
    /** Returns true if the policy requires two operators for `command`, regardless of amounts moved before. */
    readonly needsSecond: (command: Parameters<typeof needsSecond>[1]) => boolean

    /**
     * Posts a transfer without a second operator, and records its action. Fails with `SecondOperatorRequired` if the
     * policy requires a second operator for this kind or amount. Money that the operator moved alone in the last 24
     * hours, in this currency and environment, counts towards the amount.
     *
     * Reusing a key with the same input returns the first transfer. With other input, fails with
     * `IdempotencyKeyReused`.
     */
    readonly postAlone: (
      idempotencyKey: IdempotencyKey,
      input: OperatorTransferInput,
      actor: string
    ) => Effect.Effect<PostedTransfer, SecondOperatorRequired | PostFailed>

    /**
     * Stores a proposal, which expires after 24 hours and reserves nothing. Reusing a key with the same change and
     * reason returns the first proposal. With another change or reason, fails with `IdempotencyKeyReused`.
     */
    readonly propose: (
      idempotencyKey: IdempotencyKey,
      input: ProposalInput
    ) => Effect.Effect<{ readonly proposal: Proposal; readonly replayed: boolean }, IdempotencyKeyReused | StoreError>

    /**
     * Makes the proposed change on behalf of the second operator, at most once. In the same commit, records one action
     * with both operators' names and reasons. `reason` is the second operator's. If the change is refused, the proposal
     * is closed with the cause, unless an erasure has begun and refunds are pending. Failures accepted by
     * `canBeRepeated` leave it open. Fails with `SecondOperatorRequired` if `actor` is the proposer.
     */
    readonly approve: (
      command: ApprovalCommand & { readonly confirmation: Confirmation; readonly reason?: string }
    ) => Effect.Effect<Proposal, ApproveError>

    /**
     * Refuses another operator's proposal, or withdraws `actor`'s own. Fails with `ProposalClosed` if the proposal was
     * decided, has expired, or is an erasure that has begun (`Proposal.begunAt`).
     */
    readonly refuse: (
      command: ApprovalCommand & { readonly reason: string }
    ) => Effect.Effect<Proposal, ProposalNotFound | ProposalClosed | StoreError>

    readonly get: (environment: Environment, id: ProposalId) => Effect.Effect<Proposal, ProposalNotFound | StoreError>

    /** Lists proposals, newest first. An undefined `status` does not filter. */
    readonly list: (
      environment: Environment,
      status: ProposalStatus | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<Proposal>, StoreError>

    /** Returns the newest open proposal to erase the person. `None` if no such proposal is open. */
    readonly openErasure: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<Proposal>, StoreError>
  }
>()("@surety/core/operator/approval/Approvals") {}

type Needs = ProposalStore | OperatorTransfers | PersonRights | OperatorActions | Keyring | SecureRandom.SecureRandom

export const layer: Layer.Layer<Approvals, never, Needs> = Layer.effect(
  Approvals,
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const transfers = yield* OperatorTransfers
    const rights = yield* PersonRights
    const actions = yield* OperatorActions
    const keyring = yield* Keyring
    const random = yield* SecureRandom.SecureRandom
    const policy = yield* FourEyes

    const propose = Effect.fn("Approvals.propose")(function* (idempotencyKey: IdempotencyKey, input: ProposalInput) {
      const { actor, command, reason } = input
      const fingerprints = yield* keyring.fingerprints(canonical(input))
      const proposedAt = yield* DateTime.now
      const id = yield* Effect.provideService(ProposalId.next, SecureRandom.SecureRandom, random)
      const proposal = openProposal(input, id, proposedAt)
      const proposed = store.propose({ proposal, idempotencyKey, fingerprint: fingerprints[0] })
      const outcome = yield* actions.record(actor, proposed, ({ _tag }) =>
        _tag === "Existing"
          ? undefined
          : { kind: "proposal.made", ...subjectOf(proposal), reason, changes: changesOf(command) }
      )
      if (outcome._tag === "Proposed") return { proposal, replayed: false }
      if (!isSameRequest(outcome.fingerprint, fingerprints)) return yield* new IdempotencyKeyReused()
      return { proposal: outcome.proposal, replayed: true }
    })

    const postAlone = Effect.fn("Approvals.postAlone")(function* (
      idempotencyKey: IdempotencyKey,
      input: OperatorTransferInput,
      actor: string
    ) {
      const { amount, environment } = input
      return yield* actions.recordAlone(
        movedBy(actor, environment, amount.currency, yield* DateTime.now),
        (movedMinor) =>
          transfers.post(
            idempotencyKey,
            input,
            needsSecondAfter(policy, input, movedMinor) ? Effect.fail(new SecondOperatorRequired()) : Effect.void
          ),
        ({ posted, replayed }) => (replayed ? undefined : transferPosted(posted))
      )
    })

    const get = Effect.fn("Approvals.get")(function* (environment: Environment, id: ProposalId) {
      const found = yield* store.find(environment, id)
      return Option.isSome(found) ? found.value : yield* new ProposalNotFound({ id })
    })

    const closed = Effect.fnUntraced(function* ({ environment, id }: ApprovalCommand) {
      const status = statusAt(yield* get(environment, id), yield* DateTime.now)
      return yield* new ProposalClosed({ id, status })
    })

    const carriedOut = <A, E, R>(
      decision: ProposalDecision,
      change: (proposal: Proposal) => Effect.Effect<CarriedOut<A>, E, R>
    ) =>
      Effect.flatMap(
        store.carryOut(decision, change),
        Option.match({ onNone: () => Effect.fail(new OvertakenApproval()), onSome: Effect.succeed })
      )

    // The proposal's id is the transfer's idempotency key. The transfer is thus posted only once, even if the store
    // then fails to mark the proposal as approved.
    const postTransfer = (decision: ProposalDecision, proposed: Proposal, command: ProposedTransfer, reason?: string) =>
      actions.record(
        decision.by,
        carriedOut<OperatorTransfer, PostFailed, never>(decision, (proposal) => {
          const input = transferInput(proposal, command)
          if (input === undefined) return Effect.die(new Error(`${proposal.id} names neither merchant nor person`))
          return Effect.map(transfers.post(IdempotencyKey.make(proposal.id), input), ({ posted }) => ({
            result: posted,
            transferId: posted.id
          }))
        }),
        ({ result }) => {
          const draft = transferPosted(result)
          return { ...draft, changes: [...draft.changes, ...approvedBy(proposed, reason)] }
        }
      )

    const erasePerson = (decision: ProposalDecision, proposed: Proposal, serviceId: ConsumerId, reason?: string) =>
      rights.eraseWithin<OvertakenApproval>(
        {
          environment: proposed.environment,
          serviceId,
          actor: decision.by,
          reason: proposed.reason
        },
        {
          changes: approvedBy(proposed, reason),
          begin: Effect.flatMap(store.begin(decision), (begun) =>
            begun ? Effect.void : Effect.fail(new OvertakenApproval())
          ),
          around: (change) =>
            Effect.map(
              carriedOut(decision, () => Effect.map(change, (result) => ({ result }))),
              ({ result }) => result
            )
        }
      )

    const carryOut = (
      decision: ProposalDecision,
      proposed: Proposal,
      reason?: string
    ): Effect.Effect<void, CarryOutError> =>
      proposed.command._tag === "Transfer"
        ? Effect.asVoid(postTransfer(decision, proposed, proposed.command, reason))
        : Effect.asVoid(erasePerson(decision, proposed, proposed.command.serviceId, reason))

    const refuseIn = ({ actor, environment, id }: ApprovalCommand, refusal: string, begun: BegunProposals) =>
      Effect.flatMap(DateTime.now, (at) =>
        actions.record(actor, store.refuse({ environment, id, by: actor, at }, refusal, begun), (refused) =>
          Option.match(refused, {
            onNone: () => undefined,
            onSome: (proposal) => ({
              kind: "proposal.refused",
              ...subjectOf(proposal),
              reason: refusal,
              changes: [{ field: "proposedBy", to: proposal.proposedBy }]
            })
          })
        )
      )

    const approve = Effect.fn("Approvals.approve")(function* (
      command: ApprovalCommand & { readonly confirmation: Confirmation; readonly reason?: string }
    ) {
      const { actor, confirmation, environment, id } = command
      const proposed = yield* get(environment, id)
      const at = yield* DateTime.now
      if (statusAt(proposed, at) !== "OPEN") return yield* closed(command)
      if (isSameOperator(proposed.proposedBy, actor)) return yield* new SecondOperatorRequired()
      if (!isConfirmedBy(proposed.command, confirmation)) return yield* new ConfirmationDiffers()
      yield* carryOut({ environment, id, by: actor, at }, proposed, command.reason).pipe(
        Effect.catch((error: CarryOutError): Effect.Effect<never, ApproveError> => {
          if (error._tag === "OvertakenApproval") return closed(command)
          if (canBeRepeated(error)) return Effect.fail(error)
          const refusal = refusalByTag[error._tag]
          // The proposal of an erasure that has begun stays open while refunds are pending. If they settle before the
          // proposal expires, approving it again completes the erasure.
          const begun = error._tag === "RefundsPending" ? "KEEP_BEGUN" : "REFUSE_BEGUN"
          return Effect.andThen(refuseIn(command, refusal, begun), Effect.fail(new ProposedChangeRefused({ refusal })))
        })
      )
      return yield* get(environment, id)
    })

    const refuse = Effect.fn("Approvals.refuse")(function* (command: ApprovalCommand & { readonly reason: string }) {
      const refused = yield* refuseIn(command, command.reason, "KEEP_BEGUN")
      return Option.isSome(refused) ? refused.value : yield* closed(command)
    })

    type Selection = Omit<Parameters<typeof store.list>[0], "now">

    const listed = Effect.fn("Approvals.list")((selection: Selection, page: PageRequest) =>
      Effect.flatMap(DateTime.now, (now) => store.list({ ...selection, now }, page))
    )

    return Approvals.of({
      needsSecond: (command) => needsSecond(policy, command),
      postAlone,
      propose,
      approve,
      refuse,
      get,
      list: (environment, status, page) => listed({ environment, status, erasureOf: undefined }, page),
      openErasure: (environment, serviceId) =>
        Effect.map(
          listed({ environment, status: "OPEN", erasureOf: serviceId }, { limit: 1, cursor: undefined }),
          ({ data }) => Arr.head(data)
        )
    })
  })
)
