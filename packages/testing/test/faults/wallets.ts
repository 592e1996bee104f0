import type { RefundId } from "@surety/core/Ids"
import { UserId } from "@surety/core/Ids"
import { Wallet, type WalletOutcome, WalletUnavailable } from "@surety/core/refund/Wallet"
import type { WalletUnderTest } from "@surety/testing/refund/WalletLaws"
import { Effect, Layer } from "effect"

export interface WalletFault {
  /** Name prefixes of the laws that catch the fault. */
  readonly caughtBy: ReadonlyArray<string>
  readonly change: (wallet: FakeWallet) => Partial<Wallet["Service"]>
}

const declines = UserId.make("declined")

/** An in-memory wallet that can lose its next response. */
export class FakeWallet {
  readonly outcomes = new Map<RefundId, WalletOutcome>()
  readonly bookings: Array<{ readonly id: RefundId; readonly minor: bigint }> = []
  /** True if the next response is lost after the wallet has acted. */
  isLosing = false

  readonly book = (id: RefundId, minor: bigint): void => void this.bookings.push({ id, minor })

  readonly credit: Wallet["Service"]["credit"] = ({ amount, refundId, userId }) =>
    Effect.suspend(() => {
      const outcome: WalletOutcome =
        this.outcomes.get(refundId) ??
        (userId === declines ? { _tag: "Declined", reason: "frozen" } : { _tag: "Credited" })
      if (!this.outcomes.has(refundId) && outcome._tag === "Credited") this.book(refundId, amount.minor)
      this.outcomes.set(refundId, outcome)
      return this.answer(outcome)
    })

  readonly lookup: NonNullable<Wallet["Service"]["lookup"]> = ({ refundId }) =>
    Effect.suspend(() => this.answer(this.outcomes.get(refundId) ?? ({ _tag: "NotKnown" } as const)))

  readonly answer = <A>(value: A): Effect.Effect<A, WalletUnavailable> => {
    const isLost = this.isLosing
    this.isLosing = false
    return isLost ? Effect.fail(new WalletUnavailable({ cause: new Error("lost") })) : Effect.succeed(value)
  }

  readonly underTest: WalletUnderTest = {
    accepts: UserId.make("accepted"),
    declines,
    booked: (id) => Effect.sync(() => this.bookings.filter((one) => one.id === id).map(({ minor }) => minor)),
    disturbances: {
      "its answer is lost": Effect.sync(() => {
        this.isLosing = true
      })
    }
  }

  layer(change: Partial<Wallet["Service"]> = {}): Layer.Layer<Wallet> {
    return Layer.succeed(Wallet, { credit: this.credit, lookup: this.lookup, ...change })
  }
}

export const faults: Readonly<Record<string, WalletFault>> = {
  "credits each time it is asked": {
    caughtBy: ["credits the whole amount once", "credits once for a refund id"],
    change: ({ answer, book, outcomes }) => ({
      credit: ({ amount, refundId }) =>
        Effect.suspend(() => {
          book(refundId, amount.minor)
          outcomes.set(refundId, { _tag: "Credited" })
          return answer({ _tag: "Credited" } as const)
        })
    })
  },
  "looks first and books later": {
    caughtBy: ["credits once for a refund id"],
    change: ({ credit, outcomes }) => ({
      credit: (given) =>
        Effect.gen(function* () {
          const known = outcomes.get(given.refundId)
          if (known !== undefined) return known
          yield* Effect.yieldNow
          outcomes.delete(given.refundId)
          return yield* credit(given)
        })
    })
  },
  "rounds to what a double holds in naira": {
    caughtBy: ["credits the whole amount once"],
    change: ({ credit }) => ({
      credit: ({ amount, ...given }) =>
        credit({ ...given, amount: { ...amount, minor: BigInt(Math.round(Number(amount.minor) / 100)) * 100n } })
    })
  },
  "credits one refund of a consumer only": {
    caughtBy: ["credits each refund of a consumer"],
    change: ({ answer, credit, underTest }) => {
      const credited = new Set<string>()
      return {
        credit: (given) => {
          const isSecond = given.amount.minor < 3n && credited.has(given.userId)
          credited.add(given.userId)
          return isSecond && given.userId === underTest.accepts ? answer({ _tag: "Credited" } as const) : credit(given)
        }
      }
    }
  },
  "credits what it has declined when it is asked again": {
    caughtBy: ["never credits a refund id that it has declined"],
    change: ({ credit, outcomes, underTest }) => ({
      credit: (given) =>
        outcomes.get(given.refundId)?._tag === "Declined"
          ? Effect.suspend(() => {
              outcomes.delete(given.refundId)
              return credit({ ...given, userId: underTest.accepts })
            })
          : credit(given)
    })
  },
  "forgets what it did": {
    caughtBy: ["finds by a lookup"],
    change: ({ answer }) => ({ lookup: () => Effect.suspend(() => answer({ _tag: "NotKnown" } as const)) })
  },
  "credits on a lookup": {
    caughtBy: ["credits nothing because it was asked", "finds by a lookup"],
    change: ({ answer, book }) => ({
      lookup: ({ refundId }) =>
        Effect.suspend(() => {
          book(refundId, 1n)
          return answer({ _tag: "Credited" } as const)
        })
    })
  },
  "takes a lost answer to a lookup for a decline": {
    caughtBy: ["tells no outcome that it has not booked"],
    change: (wallet) => ({
      lookup: (given) =>
        Effect.suspend(() => {
          if (!wallet.isLosing) return wallet.lookup(given)
          wallet.isLosing = false
          return Effect.succeed({ _tag: "Declined", reason: "lost" } as const)
        })
    })
  },
  "takes a lost answer for a credit, and books nothing": {
    caughtBy: ["tells no outcome that it has not booked"],
    change: (wallet) => ({
      credit: (given) =>
        Effect.suspend(() => {
          if (!wallet.isLosing) return wallet.credit(given)
          wallet.isLosing = false
          return Effect.succeed({ _tag: "Credited" } as const)
        })
    })
  }
}
