import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { Proposal } from "@surety/core/operator/approval/Proposal"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect, Exit, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import { adjustmentOf, balanceOf, erasureOf, paying, payoutOf, planOf, proposed } from "./FreshProposal.js"
import * as ProposalListLaws from "./ProposalListLaws.js"

export const keepsProposals = law(
  "keeps all of a proposal, once for a key of an environment, and shows it there only",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { proposal, sale } = yield* proposed
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(proposal))
    assertEquals(yield* store.find("TEST", proposal.id), Option.none())
    const serviceId = yield* Fresh.withRandom(ConsumerId.next)
    const erasure = erasureOf(sale, serviceId)
    const adjustment = adjustmentOf(sale, serviceId)
    const plan = planOf(erasure)
    for (const each of [plan, planOf(adjustment)]) assertEquals(yield* store.propose(each), { _tag: "Proposed" })
    assertEquals(yield* store.find("LIVE", erasure.id), Option.some(erasure))
    assertEquals(yield* store.find("LIVE", adjustment.id), Option.some(adjustment))
    const again = planOf(payoutOf(sale), plan.idempotencyKey)
    const existing = { _tag: "Existing", proposal: erasure, fingerprint: plan.fingerprint } as const
    assertEquals(yield* store.propose(again), existing)
    assertEquals(yield* store.find("LIVE", again.proposal.id), Option.none(), "a used key stores nothing")
    const elsewhere: Proposal = { ...erasure, id: Fresh.proposalId(sale.payment.createdAt), environment: "TEST" }
    assertEquals(yield* store.propose(planOf(elsewhere, plan.idempotencyKey)), { _tag: "Proposed" })
    assertEquals(yield* store.findByKey("LIVE", plan.idempotencyKey), Option.some(erasure))
    assertEquals(yield* store.findByKey("TEST", plan.idempotencyKey), Option.some(elsewhere))
    assertEquals(yield* store.findByKey("LIVE", Fresh.idempotencyKey()), Option.none())
  })
)

export const carriesOutOnce = law(
  "carries a proposal out once, of however many approvals and refusals at once",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    const approvals = Array.from({ length: 8 }, (_, index) =>
      store
        .carryOut({ ...decision, by: `second-${index}` }, paying)
        .pipe(Effect.map((done) => (Option.isSome(done) ? ["approved"] : [])))
    )
    const refusals = Array.from({ length: 2 }, () =>
      Effect.map(store.refuse(decision, "no", "KEEP_BEGUN"), (done) => (Option.isSome(done) ? ["refused"] : []))
    )
    const won = (yield* Effect.all([...approvals, ...refusals], { concurrency: "unbounded" })).flat()
    assert.lengthOf(won, 1, "one decision counts")
    const isApproved = won[0] === "approved"
    assert.strictEqual(yield* balanceOf(sale), isApproved ? 9_000n : 10_000n)
    const stored = Option.getOrThrow(yield* store.find("LIVE", proposal.id))
    assert.strictEqual(stored.status, isApproved ? "APPROVED" : "REFUSED")
    assertEquals(yield* store.carryOut({ ...decision, by: "late" }, paying), Option.none())
    assertEquals(yield* store.refuse({ ...decision, by: "late" }, "no", "KEEP_BEGUN"), Option.none())
    assert.strictEqual(yield* balanceOf(sale), isApproved ? 9_000n : 10_000n)
    yield* LedgerChecks.expectSound
  })
)

export const keepsWhoApproved = law(
  "keeps who approved it, when, and the transfer that was posted",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    const done = yield* store.carryOut(decision, paying)
    if (Option.isNone(done)) return assert.fail("it is open")
    const approved: Proposal = {
      ...proposal,
      status: "APPROVED",
      decidedBy: "obi",
      decidedAt: decision.at,
      transferId: done.value.result
    }
    assertEquals(done.value.proposal, approved)
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(approved))
    assert.strictEqual(yield* balanceOf(sale), 9_000n)
  })
)

export const neverByOneAlone = law(
  "runs nothing for the proposer, in any letter case, after its end, or from the other environment",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    const refused = [
      { ...decision, by: "Ada" },
      { ...decision, by: "ada" },
      { ...decision, by: "ADA" },
      { ...decision, at: proposal.endsAt },
      { ...decision, at: Fresh.later(proposal.endsAt, 1) },
      { ...decision, environment: "TEST" as const },
      { ...decision, id: Fresh.proposalId(proposal.proposedAt) }
    ]
    for (const each of refused) assertEquals(yield* store.carryOut(each, paying), Option.none())
    assert.strictEqual(yield* balanceOf(sale), 10_000n)
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(proposal))
    assertEquals(yield* store.refuse({ ...decision, at: proposal.endsAt }, "late", "KEEP_BEGUN"), Option.none())
    assertEquals(yield* store.refuse({ ...decision, environment: "TEST" }, "elsewhere", "KEEP_BEGUN"), Option.none())
    assert.isTrue(Option.isSome(yield* store.carryOut({ ...decision, at: Fresh.later(proposal.endsAt, -1) }, paying)))
  })
)

export const failureLeavesOpen = law(
  "leaves a proposal open if its change fails, dies or is interrupted, so that it can be carried out later",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    assert.strictEqual(yield* Effect.flip(store.carryOut(decision, () => Effect.fail("no" as const))), "no")
    const died = yield* Effect.exit(store.carryOut(decision, () => Effect.die(new Error("broken"))))
    const stopped = yield* Effect.exit(store.carryOut(decision, () => Effect.interrupt))
    assert.isTrue(Exit.isFailure(died) && Exit.isFailure(stopped))
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(proposal))
    assert.strictEqual(yield* balanceOf(sale), 10_000n)
    assert.isTrue(Option.isSome(yield* store.carryOut(decision, paying)))
    assert.strictEqual(yield* balanceOf(sale), 9_000n)
  })
)

export const keepsRefusals = law(
  "keeps who refused it and why, also if it was the one who proposed it",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    const withdrawn = { ...decision, by: "Ada" }
    const refused: Proposal = {
      ...proposal,
      status: "REFUSED",
      decidedBy: "Ada",
      decidedAt: decision.at,
      refusal: "Wrong week"
    }
    assertEquals(yield* store.refuse(withdrawn, "Wrong week", "KEEP_BEGUN"), Option.some(refused))
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(refused))
    assertEquals(yield* store.carryOut(decision, paying), Option.none())
    assert.strictEqual(yield* balanceOf(sale), 10_000n)
  })
)

export const begunIsNotRefused = law(
  "refuses none that is begun, begins none that may not be approved, and carries a begun one out",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    const mayNot = [
      { ...decision, by: "ADA" },
      { ...decision, at: proposal.endsAt },
      { ...decision, environment: "TEST" as const },
      { ...decision, id: Fresh.proposalId(proposal.proposedAt) }
    ]
    for (const each of mayNot) assert.isFalse(yield* store.begin(each))
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(proposal))
    assert.isTrue(yield* store.begin(decision))
    assert.isTrue(yield* store.begin({ ...decision, by: "eve", at: Fresh.later(decision.at, 1_000) }))
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some({ ...proposal, begunAt: decision.at }))
    assertEquals(yield* store.refuse({ ...decision, by: "Ada" }, "Wrong week", "KEEP_BEGUN"), Option.none())
    assert.isTrue(Option.isSome(yield* store.carryOut(decision, paying)))
    assert.isFalse(yield* store.begin(decision))
    assert.strictEqual(yield* balanceOf(sale), 9_000n)
    const other = yield* proposed
    yield* store.refuse(other.decision, "no", "KEEP_BEGUN")
    assert.isFalse(yield* store.begin(other.decision))
  })
)

export const begunIsClosedByCommit = law(
  "closes a begun one whose change was refused, so that it is not carried out any more",
  Effect.gen(function* () {
    const store = yield* ProposalStore
    const { decision, proposal, sale } = yield* proposed
    assert.isTrue(yield* store.begin(decision))
    assertEquals(yield* store.refuse({ ...decision, at: proposal.endsAt }, "late", "REFUSE_BEGUN"), Option.none())
    assertEquals(yield* store.refuse({ ...decision, environment: "TEST" }, "elsewhere", "REFUSE_BEGUN"), Option.none())
    const closed: Proposal = {
      ...proposal,
      status: "REFUSED",
      begunAt: decision.at,
      decidedBy: decision.by,
      decidedAt: decision.at,
      refusal: "refunds_pending"
    }
    assertEquals(yield* store.refuse(decision, "refunds_pending", "REFUSE_BEGUN"), Option.some(closed))
    assertEquals(yield* store.find("LIVE", proposal.id), Option.some(closed))
    assertEquals(yield* store.carryOut(decision, paying), Option.none())
    assert.strictEqual(yield* balanceOf(sale), 10_000n)
    const approved = yield* proposed
    yield* store.carryOut(approved.decision, paying)
    assertEquals(yield* store.refuse(approved.decision, "late", "REFUSE_BEGUN"), Option.none(), "an approved one stays")
  })
)

export type ProposalStorePorts =
  | ProposalStore
  | OperatorTransferStore
  | MerchantStore
  | ConsumerStore
  | PaymentStore
  | Ledger

export const laws = [
  keepsProposals,
  carriesOutOnce,
  keepsWhoApproved,
  neverByOneAlone,
  failureLeavesOpen,
  keepsRefusals,
  begunIsNotRefused,
  begunIsClosedByCommit,
  ...ProposalListLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<ProposalStorePorts, unknown>) => void = suiteOf(
  "ProposalStore",
  laws
)
