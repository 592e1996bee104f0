import * as Currency from "@surety/core/Currency"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { Wallet } from "@surety/core/refund/Wallet"
import type { HostWallet } from "@surety/embed"
import * as WalletLaws from "@surety/testing/refund/WalletLaws"
import { Effect, Exit } from "effect"
import { assert, describe, it } from "vitest"
import * as Hosted from "../../src/host/HostWallet.js"
import { untyped } from "./misbehavingPart.js"
import { answersEmpty, answersUndefined, misbehaviours } from "./misbehaviours.js"

const booked: Array<{ readonly refundId: string; readonly minor: bigint }> = []
const outcomes = new Map<string, { readonly credited: true } | { readonly declined: string }>()

const wallet: HostWallet = {
  credit: async ({ amountMinor, refundId, userId }) => {
    const known = outcomes.get(refundId)
    if (known !== undefined) return known
    const outcome = userId === "declined" ? { declined: "frozen" } : ({ credited: true } as const)
    outcomes.set(refundId, outcome)
    if ("credited" in outcome) booked.push({ refundId, minor: amountMinor })
    return outcome
  },
  lookup: async ({ refundId }) => outcomes.get(refundId) ?? { notKnown: true }
}

const underTest: WalletLaws.WalletUnderTest = {
  accepts: UserId.make("accepted"),
  declines: UserId.make("declined"),
  booked: (id) => Effect.sync(() => booked.filter(({ refundId }) => refundId === id).map(({ minor }) => minor))
}

WalletLaws.suite("host", Hosted.layer(wallet), underTest)

WalletLaws.suite("host without a lookup", Hosted.layer({ credit: wallet.credit }), underTest)

const uuid = "00000000-0000-7000-8000-000000000000"
const credit = {
  refundId: RefundId.fromUuid(uuid),
  scope: { merchantId: MerchantId.fromUuid(uuid), environment: "LIVE" },
  paymentId: PaymentId.make("order-1"),
  userId: UserId.make("user-1"),
  amount: { currency: Currency.NGN, minor: 1n }
} as const

const settling = [...misbehaviours, answersUndefined, answersEmpty].filter(({ name }) => !/never settles/.test(name))

describe("a host's lookup", () => {
  it.each(settling)("says nothing if it $name", async ({ act }) => {
    const layer = Hosted.layer({ credit: wallet.credit, lookup: untyped(act) })
    const looked = Effect.flatMap(Wallet, ({ lookup }) => lookup?.(credit) ?? Effect.die("it has one"))
    const exit = await Effect.runPromiseExit(Effect.provide(looked, layer))
    const failed = Exit.isFailure(exit) ? exit.cause.reasons : []
    assert.lengthOf(failed, 1)
    assert.match(JSON.stringify(failed), /WalletUnavailable/)
  })

  it("gets the refund's id, merchant and environment, as this of its wallet", async () => {
    class Bank implements HostWallet {
      readonly asked: Array<unknown> = []
      credit = wallet.credit
      async lookup(query: unknown) {
        this.asked.push(query)
        return { notKnown: true } as const
      }
    }
    const bank = new Bank()
    const looked = Effect.flatMap(Wallet, ({ lookup }) => lookup?.(credit) ?? Effect.die("it has one"))
    assert.deepStrictEqual(await Effect.runPromise(Effect.provide(looked, Hosted.layer(bank))), { _tag: "NotKnown" })
    const { refundId, scope } = credit
    assert.deepStrictEqual(bank.asked, [{ refundId, merchantId: scope.merchantId, environment: "LIVE" }])
  })
})
