import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { fromCode, NGN } from "@surety/core/Currency"
import * as ConsentUrls from "@surety/core/consent/link/ConsentUrls"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Consumers } from "@surety/core/consumer/Consumers"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { MerchantId } from "@surety/core/Ids"
import { Ledger } from "@surety/core/ledger/Ledger"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { paymentRecorded } from "@surety/core/operator/actionDrafts"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { defaultFourEyes, FourEyes, needsSecond } from "@surety/core/operator/approval/FourEyes"
import type { ProposedTransfer } from "@surety/core/operator/approval/Proposal"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Payments } from "@surety/core/payment/Payments"
import { PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { PersonRights } from "@surety/core/person/PersonRights"
import * as Surety from "@surety/core/Surety"
import * as Responses from "@surety/testing/Responses"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

/** Surety's services without the rate limiter's background loops, for tests that advance time by a day. */
const quiet = Surety.layer({
  stores: MemoryStores.layer,
  keyring: Sandbox.keyring,
  targets: TargetPolicy.layerDevelopment,
  consentUrls: ConsentUrls.layer("https://consent.example/"),
  responses: Responses.layer,
  rateLimiter: Layer.mock(RateLimiter)({})
}).pipe(Layer.provideMerge(NodeCrypto.layer))

const naira = (minor: bigint) => ({ currency: NGN, minor })

const kept = Effect.gen(function* () {
  const actions = yield* OperatorActions
  const filter = {
    actor: undefined,
    kind: undefined,
    target: undefined,
    merchantId: undefined,
    serviceId: undefined,
    since: undefined,
    until: undefined
  }
  const { data } = yield* actions.list(filter, { limit: 100, cursor: undefined })
  return data.map(({ actor, kind }) => `${actor} ${kind}`).sort()
})

const balance = (kind: "SETTLEMENT" | "WALLET") =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { data } = yield* ledger.balances("TEST", { limit: 100, cursor: undefined })
    return data.find(({ key }) => key.kind === kind)?.balanceMinor
  })

/** Creates a merchant with 2,500.50 NGN, and Ada's proposal of a transfer, by default a payout to the merchant. */
const proposed = Effect.fnUntraced(function* (minor: bigint, given: Partial<ProposedTransfer> = {}) {
  const approvals = yield* Approvals
  const { consumer, merchant } = yield* Sandbox.shopWithPayment({ settled: true })
  const input = {
    environment: "TEST" as const,
    command: {
      _tag: "Transfer" as const,
      kind: "PAYOUT" as const,
      amount: naira(minor),
      merchantId: merchant.id,
      ...given
    },
    reason: "Week 46",
    actor: "ada"
  }
  const { proposal } = yield* approvals.propose(Sandbox.key("p"), input)
  const decision = { environment: "TEST" as const, id: proposal.id, actor: "obi" }
  return { approvals, consumer, merchant, input, proposal, decision }
})

describe("A change that waits for a second operator", () => {
  it.effect("is made once, in the second one's name, with both names in its one action", () =>
    Effect.gen(function* () {
      const { approvals, decision, input, proposal } = yield* proposed(100_000n)
      assert.strictEqual(yield* balance("SETTLEMENT"), 250_050n, "nothing is reserved")
      const confirmation = { amount: naira(100_000n) }
      const approved = yield* approvals.approve({ ...decision, confirmation })
      assert.deepInclude(approved, { status: "APPROVED", decidedBy: "obi" })
      assert.strictEqual(yield* balance("SETTLEMENT"), 150_050n)
      const again = yield* Effect.flip(approvals.approve({ ...decision, actor: "eve", confirmation }))
      assert.deepInclude(again, { _tag: "ProposalClosed", status: "APPROVED" })
      assert.strictEqual(yield* balance("SETTLEMENT"), 150_050n)
      assert.deepStrictEqual(yield* kept, ["ada proposal.made", "obi transfer.posted"])
      const actions = yield* OperatorActions
      const filter = {
        actor: "obi",
        kind: undefined,
        target: undefined,
        merchantId: undefined,
        serviceId: undefined,
        since: undefined,
        until: undefined
      }
      const { data } = yield* actions.list(filter, { limit: 1, cursor: undefined })
      assert.strictEqual(data[0]?.target, approved.transferId)
      assert.includeDeepMembers(
        [...(data[0]?.changes ?? [])],
        [
          { field: "proposal", to: proposal.id },
          { field: "proposedBy", to: "ada" }
        ]
      )
      assert.isTrue((yield* approvals.propose(Sandbox.key("p"), input)).replayed)
      const reused = approvals.propose(Sandbox.key("p"), { ...input, reason: "Week 47" })
      assert.strictEqual((yield* Effect.flip(reused))._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("is never made by its proposer, with another amount, late, or from the other environment", () =>
    Effect.gen(function* () {
      const { approvals, decision } = yield* proposed(100_000n)
      const confirmation = { amount: naira(100_000n) }
      const refusals = yield* Effect.forEach(
        [
          { ...decision, actor: "ada", confirmation },
          { ...decision, actor: "Ada", confirmation },
          { ...decision, confirmation: { amount: naira(100_001n) } },
          { ...decision, confirmation: { amount: { currency: fromCode("USD") ?? NGN, minor: 100_000n } } },
          { ...decision, confirmation: { serviceId: ConsumerId.make("SR1-K7QM-WX4T-A") } },
          { ...decision, environment: "LIVE" as const, confirmation }
        ],
        (each) => Effect.map(Effect.flip(approvals.approve(each)), ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(refusals, [
        "SecondOperatorRequired",
        "SecondOperatorRequired",
        "ConfirmationDiffers",
        "ConfirmationDiffers",
        "ConfirmationDiffers",
        "ProposalNotFound"
      ])
      yield* TestClock.adjust("24 hours")
      const late = yield* Effect.flip(approvals.approve({ ...decision, confirmation }))
      assert.deepInclude(late, { _tag: "ProposalClosed", status: "EXPIRED" })
      const refused = yield* Effect.flip(approvals.refuse({ ...decision, reason: "late" }))
      assert.deepInclude(refused, { _tag: "ProposalClosed", status: "EXPIRED" })
      assert.strictEqual(yield* balance("SETTLEMENT"), 250_050n)
      assert.deepStrictEqual(yield* kept, ["ada proposal.made"])
    }).pipe(Effect.provide(quiet))
  )

  it.effect("is closed with the reason if it would not fit any more when it is made", () =>
    Effect.gen(function* () {
      const { approvals, decision } = yield* proposed(250_051n)
      const confirmation = { amount: naira(250_051n) }
      const failed = yield* Effect.flip(approvals.approve({ ...decision, confirmation }))
      assert.deepInclude(failed, { _tag: "ProposedChangeRefused", refusal: "insufficient_balance" })
      const { decidedBy, refusal, status, transferId } = yield* approvals.get("TEST", decision.id)
      assert.deepStrictEqual(
        { decidedBy, refusal, status, transferId },
        { decidedBy: "obi", refusal: "insufficient_balance", status: "REFUSED", transferId: undefined }
      )
      assert.strictEqual(yield* balance("SETTLEMENT"), 250_050n)
      assert.deepStrictEqual(yield* kept, ["ada proposal.made", "obi proposal.refused"])
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("is refused with a reason, by anyone, and then made no more", () =>
    Effect.gen(function* () {
      const { approvals, decision } = yield* proposed(100_000n)
      const refused = yield* approvals.refuse({ ...decision, actor: "ada", reason: "Wrong week" })
      assert.deepInclude(refused, { status: "REFUSED", decidedBy: "ada", refusal: "Wrong week" })
      const confirmation = { amount: naira(100_000n) }
      const closed = yield* Effect.flip(approvals.approve({ ...decision, confirmation }))
      assert.deepInclude(closed, { _tag: "ProposalClosed", status: "REFUSED" })
      const { data } = yield* approvals.list("TEST", "REFUSED", { limit: 10, cursor: undefined })
      assert.deepStrictEqual(
        data.map(({ id }) => id),
        [decision.id]
      )
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("erases a person once the second operator has typed the identifier", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const consumers = yield* Consumers
      const rights = yield* PersonRights
      const { serviceId } = yield* consumers.create({ environment: "TEST", phoneVerified: false }, undefined)
      const propose = (text: string) =>
        approvals.propose(Sandbox.key(text), {
          environment: "TEST",
          command: { _tag: "Erasure", serviceId },
          reason: "Asked by letter",
          actor: "ada"
        })
      const { proposal } = yield* propose("first")
      const decision = { environment: "TEST" as const, id: proposal.id, actor: "obi" }
      const other = ConsumerId.make("SR1-K7QM-WX4T-A")
      const wrong = yield* Effect.flip(approvals.approve({ ...decision, confirmation: { serviceId: other } }))
      assert.strictEqual(wrong._tag, "ConfirmationDiffers")
      assert.isTrue((yield* Effect.exit(consumers.get("TEST", serviceId)))._tag === "Success")
      const approved = yield* approvals.approve({ ...decision, confirmation: { serviceId } })
      assert.strictEqual(approved.status, "APPROVED")
      assert.strictEqual((yield* Effect.flip(consumers.get("TEST", serviceId)))._tag, "ConsumerNotFound")
      const second = yield* propose("second")
      const late = approvals.approve({ ...decision, id: second.proposal.id, confirmation: { serviceId } })
      assert.deepInclude(yield* Effect.flip(late), { refusal: "person_already_erased" })
      yield* rights.erase({ environment: "TEST", serviceId, actor: "obi", reason: "again" })
      assert.deepStrictEqual(yield* kept, [
        "ada proposal.made",
        "ada proposal.made",
        "obi person.erased",
        "obi proposal.refused"
      ])
    }).pipe(Effect.provide(Sandbox.layer))
  )
})

describe("An erasure that a part of the host has begun", () => {
  it.effect("is closed if it is refused when it is made", () => {
    let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
    const erase = () => Effect.suspend(() => Effect.asVoid(meanwhile))
    return Effect.gen(function* () {
      const approvals = yield* Approvals
      const rights = yield* PersonRights
      const { serviceId } = yield* (yield* Consumers).create({ environment: "TEST", phoneVerified: false }, undefined)
      const { proposal } = yield* approvals.propose(Sandbox.key("overtaken"), {
        environment: "TEST",
        command: { _tag: "Erasure", serviceId },
        reason: "Asked by letter",
        actor: "ada"
      })
      // Another call erases the person while the host's `orders` holder is erasing its data.
      let isFirst = true
      meanwhile = Effect.suspend((): Effect.Effect<unknown, unknown> => {
        if (!isFirst) return Effect.void
        isFirst = false
        return rights.erase({ environment: "TEST", serviceId, actor: "eve", reason: "By phone" })
      })
      const decision = { environment: "TEST" as const, id: proposal.id, actor: "obi" }
      const refused = yield* Effect.flip(approvals.approve({ ...decision, confirmation: { serviceId } }))
      assert.deepInclude(refused, { _tag: "ProposedChangeRefused", refusal: "person_already_erased" })
      const closed = yield* approvals.get("TEST", proposal.id)
      assert.deepInclude(closed, { status: "REFUSED", refusal: "person_already_erased", decidedBy: "obi" })
      assert.isDefined(closed.begunAt)
      assert.deepStrictEqual(yield* kept, ["ada proposal.made", "eve person.erased", "obi proposal.refused"])
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer, Layer.succeed(PersonDataHolders, [{ name: "orders", erase }]))))
  })

  it.effect("is not refused while that part erases, nor if it fails, and is carried out later", () => {
    let attempts = 0
    let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
    const erase = () =>
      Effect.suspend(() => {
        attempts += 1
        return Effect.andThen(meanwhile, attempts === 1 ? Effect.fail("down") : Effect.void)
      })
    return Effect.gen(function* () {
      const approvals = yield* Approvals
      const { serviceId } = yield* (yield* Consumers).create({ environment: "TEST", phoneVerified: false }, undefined)
      const { proposal } = yield* approvals.propose(Sandbox.key("begun"), {
        environment: "TEST",
        command: { _tag: "Erasure", serviceId },
        reason: "Asked by letter",
        actor: "ada"
      })
      const decision = { environment: "TEST" as const, id: proposal.id }
      const withdrawals: Array<string> = []
      meanwhile = Effect.map(
        Effect.flip(approvals.refuse({ ...decision, actor: "ada", reason: "Wrong person" })),
        ({ _tag }) => withdrawals.push(_tag)
      )
      const approve = (actor: string) => approvals.approve({ ...decision, actor, confirmation: { serviceId } })
      assert.strictEqual((yield* Effect.flip(approve("ada")))._tag, "SecondOperatorRequired")
      assert.strictEqual(attempts, 0)
      assert.strictEqual((yield* Effect.flip(approve("obi")))._tag, "PersonDataUnavailable")
      assert.strictEqual((yield* approvals.get("TEST", proposal.id)).status, "OPEN")
      assert.deepInclude(yield* approve("eve"), { status: "APPROVED", decidedBy: "eve" })
      assert.deepStrictEqual(withdrawals, ["ProposalClosed", "ProposalClosed"])
      assert.deepStrictEqual(yield* kept, ["ada proposal.made", "eve person.erased"])
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer, Layer.succeed(PersonDataHolders, [{ name: "orders", erase }]))))
  })
})

describe("An operator's own transfers of a day", () => {
  const fund = (text: string, merchantId: MerchantId, minor: bigint, actor = "ada", environment = "TEST" as const) =>
    Effect.flatMap(Approvals, (approvals) =>
      approvals.postAlone(
        Sandbox.key(text),
        { kind: "FUNDING", environment, amount: naira(minor), party: { merchantId }, reason: "From the bank" },
        actor
      )
    )

  const refused = <A, E extends { readonly _tag: string }, R>(post: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flip(post), ({ _tag }) => _tag)

  it.effect("need a second one together from the amount on from which one transfer does", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Sandbox.shopWithPayment({ settled: true })
      yield* fund("a", merchant.id, 600_000n)
      assert.strictEqual(yield* refused(fund("b", merchant.id, 400_000n)), "SecondOperatorRequired")
      yield* fund("c", merchant.id, 399_999n)
      assert.strictEqual(yield* refused(fund("d", merchant.id, 1n, "ADA")), "SecondOperatorRequired")
      const { replayed } = yield* fund("a", merchant.id, 600_000n)
      assert.isTrue(replayed, "a repeat moves nothing, so it is answered")
      assert.strictEqual(yield* refused(fund("a", merchant.id, 600_001n)), "IdempotencyKeyReused")
      yield* fund("e", merchant.id, 999_999n, "obi")
      assert.deepStrictEqual(yield* kept, ["ada transfer.posted", "ada transfer.posted", "obi transfer.posted"])
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* refused(fund("f", merchant.id, 1n)), "SecondOperatorRequired", "24 hours are inclusive")
      yield* TestClock.adjust("1 millis")
      yield* fund("f", merchant.id, 999_999n)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("count one by one, of however many at once", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Sandbox.shopWithPayment({ settled: true })
      const posts = Array.from({ length: 8 }, (_, index) =>
        Effect.match(fund(`at once ${index}`, merchant.id, 300_000n), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: () => "posted"
        })
      )
      const ends = yield* Effect.all(posts, { concurrency: "unbounded" })
      assert.deepStrictEqual(ends.filter((end) => end === "posted").length, 3)
      assert.deepStrictEqual(ends.filter((end) => end === "SecondOperatorRequired").length, 5)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("have payments that the operator recorded with them, and not what a second one approved", () =>
    Effect.gen(function* () {
      const { approvals, decision, merchant } = yield* proposed(200_000n)
      yield* approvals.approve({ ...decision, confirmation: { amount: naira(200_000n) } })
      yield* fund("alone", merchant.id, 999_998n, "obi")
      const payments = yield* Payments
      const actions = yield* OperatorActions
      const record = (actor: string, reference: string) =>
        actions.record(
          actor,
          payments.record({
            scope: { merchantId: merchant.id, environment: "TEST" },
            amount: naira(900_000n),
            method: "CARD",
            reference,
            settled: true
          }),
          paymentRecorded
        )
      yield* record("eve", "of eve")
      assert.strictEqual(yield* refused(fund("eve", merchant.id, 100_000n, "eve")), "SecondOperatorRequired")
      yield* record("operator", "of the platform")
      yield* fund("sole", merchant.id, 100_000n, "operator")
    }).pipe(Effect.provide(Sandbox.layer))
  )
})

describe("FourEyes", () => {
  const merchantId = MerchantId.make("merchant_01h455vb4pex5vsknk084sn02q")
  const transfer = (kind: ProposedTransfer["kind"], minor: bigint, currency = NGN) => ({
    _tag: "Transfer" as const,
    kind,
    amount: { currency, minor },
    merchantId
  })

  it("asks for two from NGN 10,000.00 on, for every adjustment, every erasure and every other currency", () => {
    const needs = (command: Parameters<typeof needsSecond>[1]) => needsSecond(defaultFourEyes, command)
    assert.isFalse(needs(transfer("PAYOUT", 999_999n)))
    assert.isTrue(needs(transfer("PAYOUT", 1_000_000n)))
    assert.isTrue(needs(transfer("ADJUSTMENT", 1n)))
    assert.isTrue(needs(transfer("FUNDING", 1n, fromCode("USD"))))
    assert.isTrue(needs({ _tag: "Erasure" }))
    const erasures = { ...defaultFourEyes, erasures: false, adjustments: false }
    assert.isFalse(needsSecond(erasures, { _tag: "Erasure" }))
    assert.isFalse(needsSecond(erasures, transfer("ADJUSTMENT", 1n)))
    assert.isTrue(needsSecond(erasures, transfer("ADJUSTMENT", 1_000_000n)))
  })

  it.effect("is the policy that the host provides", () =>
    Effect.gen(function* () {
      const { needsSecond: needs } = yield* Approvals
      assert.isFalse(needs({ _tag: "Erasure" }))
    }).pipe(
      Effect.provide(Layer.provide(Sandbox.layer, Layer.succeed(FourEyes, { ...defaultFourEyes, erasures: false })))
    )
  )
})
