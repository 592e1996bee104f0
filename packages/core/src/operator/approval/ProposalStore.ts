import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { Environment } from "../../Environment.js"
import type { ProposalId, TransferId } from "../../Ids.js"
import type { Fingerprint } from "../../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { Proposal, ProposalStatus } from "./Proposal.js"

/** A proposal to store, with its key in its environment. */
export interface ProposalPlan {
  readonly proposal: Proposal
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
}

/** `Existing`: the key has been used, for this. */
export type ProposeOutcome =
  | { readonly _tag: "Proposed" }
  | { readonly _tag: "Existing"; readonly proposal: Proposal; readonly fingerprint: Fingerprint }

/** The proposal to decide, by whom and when. */
export interface ProposalDecision {
  readonly environment: Environment
  readonly id: ProposalId
  readonly by: string
  readonly at: DateTime.Utc
}

/** The result of an approved change, and the transfer that it posted. */
export interface CarriedOut<A> {
  readonly result: A
  readonly transferId?: TransferId | undefined
}

/** Whether a refusal leaves a begun proposal open, which can still be carried out, or refuses it as well. */
export type BegunProposals = "KEEP_BEGUN" | "REFUSE_BEGUN"

/** Selects proposals of an environment as of `now`. Undefined does not filter. */
export interface ProposalFilter {
  readonly environment: Environment
  readonly status: ProposalStatus | undefined
  /** Erasures of this person only. */
  readonly erasureOf: ConsumerId | undefined
  readonly now: DateTime.Utc
}

/** Changes that wait for a second operator. */
export class ProposalStore extends Context.Service<
  ProposalStore,
  {
    /** Stores an open proposal. A key of an environment is used once: later calls with it store nothing. */
    readonly propose: (plan: ProposalPlan) => Effect.Effect<ProposeOutcome, StoreError>

    readonly find: (environment: Environment, id: ProposalId) => Effect.Effect<Option.Option<Proposal>, StoreError>

    /** Newest first. */
    readonly list: (filter: ProposalFilter, page: PageRequest) => Effect.Effect<Page<Proposal>, StoreError>

    /**
     * Runs `change`, which calls verbs of other stores, and marks the proposal as approved: both in one commit, or
     * neither. Runs nothing and returns none unless `mayApprove` holds at `at`, also in the commit. If `change` fails,
     * nothing of it is stored, the proposal stays open, and its error is returned.
     *
     * Under any concurrency, across processes, and if the process is killed at any point: a proposal's change is made at
     * most once. `change` may run again after a conflict.
     */
    readonly carryOut: <A, E, R>(
      decision: ProposalDecision,
      change: (proposal: Proposal) => Effect.Effect<CarriedOut<A>, E, R>
    ) => Effect.Effect<Option.Option<{ readonly proposal: Proposal; readonly result: A }>, E | StoreError, R>

    /**
     * Marks the proposal as begun, before anything happens that no commit can undo. Returns false, and marks nothing, unless
     * `mayApprove` holds at `at`. A begun one keeps its first time. It stays open, and can no longer be refused.
     */
    readonly begin: (decision: ProposalDecision) => Effect.Effect<boolean, StoreError>

    /**
     * Refuses an open proposal, and returns it; none if it is not open at `at`. The proposer may refuse it too. A begun one is
     * refused only by `REFUSE_BEGUN`: when its change was refused, so that it cannot be carried out.
     */
    readonly refuse: (
      decision: ProposalDecision,
      refusal: string,
      begun: BegunProposals
    ) => Effect.Effect<Option.Option<Proposal>, StoreError>
  }
>()("@surety/core/operator/approval/ProposalStore") {}
