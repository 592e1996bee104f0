import { assert, describe, it } from "@effect/vitest"
import { HostRefunds, leaseTime, waiting } from "@surety/core/refund/HostRefunds"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import * as RefundRecovery from "@surety/core/refund/RefundRecovery"
import * as Refunds from "@surety/core/refund/Refunds"
import { Wallet, type WalletCredit } from "@surety/core/refund/Wallet"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { DateTime, Duration, Effect, Exit, Fiber, Layer, Metric, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"
import { credited, declined, deferred, refund, sceneOf, unavailable, userId } from "./PendingScene.js"
import { payment } from "./RefundSnapshots.js"

describe("a pending refund", () => {
  it.effect("goes back to the merchant's settlement, out of the customer's wallet, when the wallet declines", () => {
    const { asked, completed, failed, run } = sceneOf(() => Effect.succeed(declined))
    return Effect.gen(function* () {
      const error = yield* Effect.flip((yield* HostRefunds).finish(refund.id))
      assert.deepInclude(error, { _tag: "WalletDeclined", reason: "wallet closed" })
      assert.lengthOf(asked, 1)
      assert.lengthOf(completed, 0)
      const account = { environment: refund.environment, currency: refund.amount.currency, books: refund.merchantId }
      const { at, id, ...reversal } = failed[0]?.reversal ?? assert.fail("it was undone")
      assert.deepStrictEqual(reversal, {
        kind: "REFUND_REVERSAL",
        debit: { ...account, kind: "WALLET", owner: userId },
        credit: { ...account, kind: "SETTLEMENT", owner: refund.merchantId },
        amount: refund.amount,
        cause: refund.id
      })
      assert.match(id, /^transfer_/u)
      assert.deepStrictEqual(at, yield* DateTime.now)
    }).pipe(run)
  })

  it.effect("is not credited, completed or undone when another holds it", () => {
    const { asked, completed, failed, run } = sceneOf(() => Effect.succeed(credited), { isHeld: true })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* (yield* HostRefunds).finish(refund.id), Option.none())
      assert.deepStrictEqual([asked.length, completed.length, failed.length], [0, 0, 0])
    }).pipe(run)
  })

  it.effect("without a customer asks no wallet", () => {
    const { userId: _, ...orphan } = refund
    const { asked, run } = sceneOf(() => Effect.succeed(credited), { refund: orphan })
    return Effect.gen(function* () {
      assert.isTrue(Exit.hasDies(yield* Effect.exit((yield* HostRefunds).finish(refund.id))))
      assert.lengthOf(asked, 0)
    }).pipe(run)
  })
})

describe("settling a refund in the sandbox's place", () => {
  const played = { ...refund, environment: "TEST" as const }

  it.effect("gives up on one that others hold for a whole lease, and says that it is pending", () => {
    const scene = sceneOf(() => Effect.succeed(credited), { isHeld: true, refund: played })
    return Effect.gen(function* () {
      const settling = yield* Effect.forkChild(
        Effect.flip((yield* HostRefunds).settlePlayed(played, refund.id, "completed"))
      )
      yield* TestClock.adjust(leaseTime)
      assert.isUndefined(settling.pollUnsafe())
      yield* TestClock.adjust(Duration.seconds(1))
      const error = yield* Fiber.join(settling)
      assert.deepInclude(error, { _tag: "RefundNotWaiting", refundId: refund.id, status: "PENDING" })
    }).pipe(scene.run)
  })

  it.effect("stops waiting as soon as the holder has completed it", () => {
    const scene = sceneOf(() => Effect.succeed(credited), {
      isHeld: true,
      refund: played,
      statuses: ["PENDING", "PENDING", "COMPLETED"]
    })
    return Effect.gen(function* () {
      const settling = yield* Effect.forkChild(
        Effect.flip((yield* HostRefunds).settlePlayed(played, refund.id, "completed"))
      )
      yield* TestClock.adjust(Duration.seconds(1))
      const error = yield* Fiber.join(settling)
      assert.deepInclude(error, { _tag: "RefundNotWaiting", refundId: refund.id, status: "COMPLETED" })
      assert.lengthOf(scene.leases, 1)
    }).pipe(scene.run)
  })

  it.effect("never holds a LIVE refund, not even for a moment", () => {
    const live = { ...refund, environment: "LIVE" as const }
    const scene = sceneOf(() => Effect.succeed(credited), { refund: live })
    return Effect.gen(function* () {
      const error = yield* Effect.flip((yield* HostRefunds).settlePlayed(live, live.id, "completed"))
      assert.deepInclude(error, { _tag: "RefundNotWaiting", refundId: live.id, status: "PENDING" })
      assert.deepStrictEqual([scene.leases, scene.completed, scene.failed], [[], [], []])
    }).pipe(scene.run)
  })
})

describe("a ledger that is the wallet", () => {
  it.effect("leaves a refund pending that a host's wallet was to credit: nothing is paid, nothing is undone", () => {
    const scene = sceneOf(() => Effect.succeed(credited))
    return Effect.gen(function* () {
      const error = yield* Effect.flip((yield* HostRefunds).finish(refund.id))
      assert.strictEqual(error._tag, "WalletUnavailable")
      assert.include(error._tag === "WalletUnavailable" ? String(error.cause) : "", "no wallet but its ledger")
      assert.deepStrictEqual([scene.asked, scene.completed, scene.failed], [[], [], []])
    }).pipe(scene.runWithoutWallet)
  })
})

describe("recovery", () => {
  it.effect("works off a backlog without a pause, for as long as the wallet answers", () => {
    const scene = sceneOf((asked) => (asked <= 250 ? Effect.succeed(credited) : Effect.fail(unavailable)), {
      count: 100
    })
    return Effect.gen(function* () {
      assert.strictEqual(yield* (yield* HostRefunds).recover(yield* DateTime.now), 400)
      assert.deepStrictEqual([scene.asked.length, scene.completed.length], [400, 250])
    }).pipe(scene.run)
  })

  it.effect("finishes each refund regardless of the others, and returns how many it found", () => {
    const outcomes = [Effect.succeed(declined), Effect.fail(unavailable), Effect.succeed(credited)]
    const scene = sceneOf((asked) => outcomes[asked - 1] ?? Effect.never, { count: 3 })
    return Effect.gen(function* () {
      const now = yield* DateTime.now
      const madeBefore = DateTime.subtract(now, { seconds: 20 })
      assert.strictEqual(yield* (yield* HostRefunds).recover(madeBefore), 3)
      assert.deepStrictEqual(scene.looked, [[now, madeBefore, 100]])
      assert.deepStrictEqual([scene.asked.length, scene.failed.length, scene.completed.length], [3, 1, 1])
      assert.deepStrictEqual(scene.released, [], "one that the wallet failed must not keep it from the others")
    }).pipe(scene.run)
  })

  it.effect("skips a refund whose record is damaged or refuses the change, and fails if the store is away", () => {
    const sceneWith = (firstFails: Effect.Effect<never, StoreError>) =>
      sceneOf(() => Effect.succeed(credited), { count: 3, firstFails })
    const failing = (reason: StoreCorrupt | StoreUnavailable) =>
      sceneWith(Effect.fail(new StoreError({ operation: "RefundStore.lease", reason })))
    const recover = Effect.gen(function* () {
      return yield* (yield* HostRefunds).recover(yield* DateTime.now)
    })
    const damaged = failing(new StoreCorrupt({ cause: "no amount" }))
    const refusing = sceneWith(Effect.die(new Error("refund_fence_check")))
    const away = failing(new StoreUnavailable({ cause: "gone" }))
    return Effect.gen(function* () {
      for (const scene of [damaged, refusing]) {
        assert.strictEqual(yield* scene.run(recover), 3)
        assert.lengthOf(scene.completed, 2)
      }
      assert.isTrue((yield* Effect.flip(away.run(recover))).isRetryable)
    })
  })

  it.effect("leaves alone what the wallet defers, and does not count it as waiting for the wallet", () => {
    const scene = sceneOf((asked) => Effect.fail(asked === 1 ? deferred : unavailable), { count: 3 })
    return Effect.gen(function* () {
      yield* (yield* HostRefunds).recover(yield* DateTime.now)
      assert.strictEqual((yield* Metric.value(waiting)).value, 2)
      assert.deepStrictEqual([scene.asked.length, scene.failed.length, scene.completed.length], [3, 0, 0])
    }).pipe(scene.run)
  })

  it.effect("asks for eight at once, so that one slow answer does not hold up the rest", () => {
    const scene = sceneOf(() => Effect.never, { count: 10 })
    return Effect.gen(function* () {
      const recovery = yield* Effect.forkChild((yield* HostRefunds).recover(yield* DateTime.now))
      yield* TestClock.adjust("1 second")
      assert.lengthOf(scene.asked, 8)
      yield* Fiber.interrupt(recovery)
    }).pipe(scene.run)
  })

  it.effect("looks again after a round that failed", () => {
    let rounds = 0
    const gone = new StoreError({ operation: "unfinished", reason: new StoreUnavailable({ cause: "gone" }) })
    const host = Layer.succeed(HostRefunds, {
      finish: () => Effect.succeedNone,
      settlePlayed: () => Effect.die("is not asked"),
      recover: () =>
        Effect.suspend(() => {
          rounds += 1
          return rounds === 1 ? Effect.fail(gone) : Effect.succeed(0)
        })
    })
    return Effect.gen(function* () {
      yield* Layer.build(Layer.provide(RefundRecovery.worker.layer, host))
      yield* TestClock.adjust(RefundRecovery.recoverEvery)
      assert.strictEqual(rounds, 2)
    }).pipe(Effect.scoped)
  })
})

const withWallet = (credit: Wallet["Service"]["credit"]) =>
  Effect.provide(
    Refunds.layerHostWallet.pipe(Layer.provide(Layer.succeed(Wallet, { credit })), Layer.provideMerge(Sandbox.layer))
  )

describe("a request for a refund to a host's wallet", () => {
  it.effect("waits for the first one with its key, and is answered with what that one was", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment: sold, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const create = refunds.create(scope, Sandbox.key("w"), Sandbox.refundOf({ transactionId: sold.id }))
      const requests = yield* Effect.forkChild(Effect.all([create, create], { concurrency: 2 }))
      yield* TestClock.adjust("3 seconds")
      const [first, second] = yield* Fiber.join(requests)
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(second, { ...first, replayed: true })
    }).pipe(withWallet(() => Effect.delay(Effect.succeed(credited), "2 seconds")))
  )

  it.effect("is to be repeated after five seconds when the wallet's answer was lost", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment: sold, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const unknown = yield* Effect.flip(
        refunds.create(scope, Sandbox.key("u"), Sandbox.refundOf({ transactionId: sold.id }))
      )
      assert.deepInclude(unknown, { _tag: "RefundOutcomeUnknown", retryAfterSeconds: 5 })
    }).pipe(withWallet(() => Effect.fail(unavailable)))
  )
})

describe("a refund", () => {
  it.effect("is found by its merchant, in its environment, and by no one else", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment: sold, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const { refund: made } = yield* refunds.create(
        scope,
        Sandbox.key("g"),
        Sandbox.refundOf({ transactionId: sold.id })
      )
      const { id } = made
      assert.deepInclude(yield* refunds.get(scope, id), { id, status: "COMPLETED", paymentId: sold.id })
      const stranger = yield* Sandbox.newMerchant
      for (const other of [
        { ...scope, environment: "LIVE" as const },
        { ...scope, merchantId: stranger.id }
      ]) {
        const error = yield* Effect.flip(refunds.get(other, id))
        assert.deepInclude(error, { _tag: "RefundNotFound", refundId: id })
      }
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it("that is refused says where each fault is, and what to send instead", () => {
    const parsed = parseRefund({ transactionId: payment.id, items: [{ amount: 1 }, { amount: 1.005 }] })
    const faults = Result.isFailure(parsed) ? parsed.failure : []
    assert.deepStrictEqual(
      faults.map(({ code, detail, path }) => [path, code, detail.includes("2 decimals")]),
      [[["items", 1, "amount"], "amount_precision", true]]
    )
  })
})

describe("a wallet of LIVE money alone", () => {
  it.effect("is not asked for TEST refunds: this ledger is their wallet, and they complete at once", () => {
    const asked: Array<WalletCredit> = []
    const wallet = Layer.succeed(Wallet, {
      credit: (credit) =>
        Effect.as(
          Effect.sync(() => asked.push(credit)),
          credited
        ),
      environments: ["LIVE"]
    })
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment: sold, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      assert.strictEqual(scope.environment, "TEST")
      const { refund: made } = yield* refunds.create(
        scope,
        Sandbox.key("t"),
        Sandbox.refundOf({ transactionId: sold.id })
      )
      assert.strictEqual(made.status, "COMPLETED")
      assert.lengthOf(asked, 0)
    }).pipe(Effect.provide(Refunds.layerHostWallet.pipe(Layer.provide(wallet), Layer.provideMerge(Sandbox.layer))))
  })
})

describe("a wallet's silence", () => {
  it("keeps its cause", () => {
    assert.instanceOf(unavailable.cause, Error)
    assert.strictEqual((unavailable.cause as Error).message, "connection reset")
  })
})
