import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Currency from "@surety/core/Currency"
import type { RefundId, UserId } from "@surety/core/Ids"
import { Wallet, type WalletCredit } from "@surety/core/refund/Wallet"
import { Effect, type Layer, Result } from "effect"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"

/** Data and operations that the laws of a LIVE wallet need, besides the port. */
export interface WalletUnderTest {
  /** A consumer for whom the wallet accepts credits. */
  readonly accepts: UserId
  /** A consumer for whom the wallet declines credits. */
  readonly declines: UserId
  /** Returns the amounts that the wallet's own records show for a refund, in minor units. */
  readonly booked: (id: RefundId) => Effect.Effect<ReadonlyArray<bigint>>
  /** Effects that disturb the wallet's next response. Each key is part of a law's name, as in `its answer is lost`. */
  readonly disturbances?: Readonly<Record<string, Effect.Effect<void>>>
}

/** The largest amount that the API accepts. A double cannot represent it exactly in naira. */
const amountMinor = 999_999_999_999_999n

const creditOf = Effect.fnUntraced(function* (userId: UserId, minor: bigint = amountMinor) {
  const now = yield* Fresh.now
  const credit: WalletCredit = {
    refundId: Fresh.refundId(now),
    scope: { merchantId: Fresh.merchantId(now), environment: "LIVE" },
    paymentId: Fresh.paymentId(now),
    userId,
    amount: { currency: Currency.NGN, minor }
  }
  return credit
})

const credited = { _tag: "Credited" } as const

const atOnce = 10

const knownOf = (credit: WalletCredit) =>
  Effect.flatMap(Wallet, ({ lookup }) => (lookup === undefined ? Effect.undefined : lookup(credit)))

/**
 * Resolves an unknown outcome as Surety does: looks up the credit first. Sends the credit again only if the wallet has
 * no lookup or does not know the credit.
 */
const resolved = Effect.fnUntraced(function* (credit: WalletCredit) {
  const wallet = yield* Wallet
  const known = yield* knownOf(credit)
  return known === undefined || known._tag === "NotKnown" ? yield* wallet.credit(credit) : known
})

const creditsOnce = ({ accepts, booked }: WalletUnderTest) =>
  law(
    "credits the whole amount once for a refund id, however often it is sent",
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const credit = yield* creditOf(accepts)
      assertEquals(yield* wallet.credit(credit), credited)
      for (let time = 0; time < 3; time += 1) assertEquals(yield* wallet.credit(credit), credited)
      assert.deepStrictEqual(yield* booked(credit.refundId), [amountMinor])
    })
  )

const creditsOnceAtOnce = ({ accepts, booked }: WalletUnderTest) =>
  law(
    "credits once for a refund id that is sent many times at once",
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const credit = yield* creditOf(accepts)
      yield* Effect.replicateEffect(Effect.exit(wallet.credit(credit)), atOnce, { concurrency: "unbounded" })
      assertEquals(yield* wallet.credit(credit), credited)
      assert.deepStrictEqual(yield* booked(credit.refundId), [amountMinor])
    })
  )

const creditsEach = ({ accepts, booked }: WalletUnderTest) =>
  law(
    "credits each refund of a consumer separately",
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const [first, second] = yield* Effect.all([creditOf(accepts, 1n), creditOf(accepts, 2n)])
      assertEquals(yield* wallet.credit(first), credited)
      assertEquals(yield* wallet.credit(second), credited)
      assert.deepStrictEqual(yield* booked(first.refundId), [1n])
      assert.deepStrictEqual(yield* booked(second.refundId), [2n])
    })
  )

const declinesForGood = ({ booked, declines }: WalletUnderTest) =>
  law(
    "never credits a refund id that it has declined, and says why",
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const credit = yield* creditOf(declines)
      for (let time = 0; time < 3; time += 1) {
        const outcome = yield* wallet.credit(credit)
        assert.isTrue(outcome._tag === "Declined" && outcome.reason !== "")
      }
      assert.deepStrictEqual(yield* booked(credit.refundId), [])
    })
  )

const findsWhatItDid = ({ accepts, declines }: WalletUnderTest) =>
  law(
    "finds by a lookup, if it has one, exactly what it answered, and nothing before",
    Effect.gen(function* () {
      const wallet = yield* Wallet
      if (wallet.lookup === undefined) return
      for (const userId of [accepts, declines]) {
        const credit = yield* creditOf(userId)
        assertEquals(yield* knownOf(credit), { _tag: "NotKnown" })
        const outcome = yield* wallet.credit(credit)
        assertEquals(yield* knownOf(credit), outcome)
      }
    })
  )

const lookupMovesNothing = ({ accepts, booked }: WalletUnderTest) =>
  law(
    "credits nothing because it was asked",
    Effect.gen(function* () {
      const credit = yield* creditOf(accepts)
      yield* Effect.replicateEffect(knownOf(credit), 3)
      assert.deepStrictEqual(yield* booked(credit.refundId), [])
    })
  )

/**
 * Builds the law for one disturbance. A disturbed call may fail, but must not return a wrong outcome. A disturbed
 * lookup may also return `NotKnown`. Afterwards, `resolved` must return the right outcome. The wallet must have
 * recorded an accepted credit exactly once, and a declined one never.
 */
const resolves = (
  { accepts, booked, declines }: WalletUnderTest,
  [how, disturb]: readonly [string, Effect.Effect<void>]
) =>
  law(
    `tells no outcome that it has not booked where ${how}, and books once in the end`,
    Effect.gen(function* () {
      const wallet = yield* Wallet
      const credit = yield* creditOf(accepts)
      yield* disturb
      const disturbed = yield* Effect.result(wallet.credit(credit))
      if (Result.isSuccess(disturbed)) {
        assertEquals(disturbed.success, credited)
        assert.deepStrictEqual(yield* booked(credit.refundId), [amountMinor])
      } else assert.strictEqual(disturbed.failure._tag, "WalletUnavailable")
      if (wallet.lookup !== undefined) {
        yield* disturb
        const looked = yield* Effect.result(knownOf(credit))
        if (Result.isFailure(looked)) assert.strictEqual(looked.failure._tag, "WalletUnavailable")
        // Surety acts on this outcome: it completes a credited refund and reverses a declined refund.
        else if (looked.success?._tag !== "NotKnown") {
          assertEquals(looked.success, credited)
          assert.deepStrictEqual(yield* booked(credit.refundId), [amountMinor])
        }
      }
      assertEquals(yield* resolved(credit), credited)
      assert.deepStrictEqual(yield* booked(credit.refundId), [amountMinor])

      const refused = yield* creditOf(declines)
      yield* disturb
      const refusal = yield* Effect.result(wallet.credit(refused))
      assert.strictEqual(
        Result.match(refusal, { onFailure: () => "Declined", onSuccess: ({ _tag }) => _tag }),
        "Declined"
      )
      assert.strictEqual((yield* resolved(refused))._tag, "Declined")
      assert.deepStrictEqual(yield* booked(refused.refundId), [])
    })
  )

/** Returns the laws of `Wallet`, plus one for each disturbance. */
export const lawsOf = (wallet: WalletUnderTest): ReadonlyArray<Law<Wallet>> => [
  creditsOnce(wallet),
  creditsOnceAtOnce(wallet),
  creditsEach(wallet),
  declinesForGood(wallet),
  findsWhatItDid(wallet),
  lookupMovesNothing(wallet),
  ...Object.entries(wallet.disturbances ?? {}).map((disturbance) => resolves(wallet, disturbance))
]

export const suite = (adapter: string, layer: Layer.Layer<Wallet, unknown>, wallet: WalletUnderTest): void =>
  suiteOf("Wallet", lawsOf(wallet))(adapter, layer)
