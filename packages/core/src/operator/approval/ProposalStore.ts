import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import type { ProposalId, TransferId } from "../../Ids.js"
import type { Fingerprint } from "../../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Proposal, ProposalStatus } from "./Proposal.js"

/** A proposal to store, with its idempotency key, which is unique in an environment. */
export interface ProposalPlan {
  readonly proposal: Proposal
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
}

/** The result of `propose`. `Existing`: the key already belongs to the returned proposal. */
export type ProposeOutcome =
  | { readonly _tag: "Proposed" }
  | { readonly _tag: "Existing"; readonly proposal: Proposal; readonly fingerprint: Fingerprint }

/** Input to `carryOut`, `begin` and `refuse`, which check at `at` whether the proposal is open. */
export interface ProposalDecision {
  readonly environment: Environment
  readonly id: ProposalId
  readonly by: string
  readonly at: DateTime.Utc
}

export interface CarriedOut<A> {
  readonly result: A
  readonly transferId?: TransferId | undefined
}

/** How `refuse` treats a proposal whose erasure has begun: keeps it open, to be completed later, or refuses it too. */
export type BegunProposals = "KEEP_BEGUN" | "REFUSE_BEGUN"

/** Selects proposals of an environment as of `now`. Undefined fields do not filter. */
export interface ProposalFilter {
  readonly environment: Environment
  readonly status: ProposalStatus | undefined
  readonly erasureOf: ConsumerId | undefined
  readonly now: DateTime.Utc
}

export class ProposalStore extends Context.Service<
  ProposalStore,
  {
    /** Stores an open proposal. A key can be used once in an environment: later calls with the key store nothing. */
    readonly propose: (plan: ProposalPlan) => Effect.Effect<ProposeOutcome, StoreError>

    readonly find: (environment: Environment, id: ProposalId) => Effect.Effect<Option.Option<Proposal>, StoreError>

    /** Returns the proposal that was stored under the key in the environment. */
    readonly findByKey: (
      environment: Environment,
      idempotencyKey: IdempotencyKey
    ) => Effect.Effect<Option.Option<Proposal>, StoreError>

    /** Lists proposals, newest first. */
    readonly list: (filter: ProposalFilter, page: PageRequest) => Effect.Effect<Page<Proposal>, StoreError>

    /**
     * Runs `change`, which calls methods of other stores, and marks the proposal as approved, in the same commit.
     * Returns `None` without running `change` unless `mayApprove` holds at `decision.at`. This check is part of the
     * commit, so a concurrent decision cannot come in between. If `change` fails, stores nothing, keeps the proposal
     * open and fails with the error.
     *
     * Under any concurrency, across processes and crashes, a proposal's change is made at most once. `change` may run
     * again after a conflict.
     */
    readonly carryOut: <A, E, R>(
      decision: ProposalDecision,
      change: (proposal: Proposal) => Effect.Effect<CarriedOut<A>, E, R>
    ) => Effect.Effect<Option.Option<{ readonly proposal: Proposal; readonly result: A }>, E | StoreError, R>

    /**
     * Marks the proposal as begun, before any step that a rollback cannot undo. Returns false and marks nothing unless
     * `mayApprove` holds at `decision.at`. A proposal that has already begun keeps its earlier time. Once begun, a
     * proposal can be refused only with `REFUSE_BEGUN`.
     */
    readonly begin: (decision: ProposalDecision) => Effect.Effect<boolean, StoreError>

    /**
     * Refuses an open proposal and returns it. Returns `None` if the proposal is not open at `decision.at`, or has
     * begun and `begun` is `KEEP_BEGUN`. The proposer may refuse it too. Pass `REFUSE_BEGUN` if the change itself
     * failed, unless a later approval can complete it.
     */
    readonly refuse: (
      decision: ProposalDecision,
      refusal: string,
      begun: BegunProposals
    ) => Effect.Effect<Option.Option<Proposal>, StoreError>
  }
>()("@surety/core/operator/approval/ProposalStore") {}
