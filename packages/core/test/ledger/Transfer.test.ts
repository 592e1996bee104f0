import { assert, describe, it } from "@effect/vitest"
import { type Currency, fromCode, NGN } from "@surety/core/Currency"
import { MerchantId, TransferId } from "@surety/core/Ids"
import {
  type AccountKey,
  type AccountPart,
  accountKeyText,
  accountPartText,
  external
} from "@surety/core/ledger/Account"
import { postingsOf } from "@surety/core/ledger/Posting"
import { isWellFormed, type Transfer } from "@surety/core/ledger/Transfer"
import { DateTime } from "effect"

const usd: Currency = fromCode("USD") ?? assert.fail("ISO 4217 has USD")
const books = MerchantId.make("merchant_01h2xcejqtf2nbrexx3vqjhp41")
const stranger = MerchantId.make("merchant_01h455vb4pex5vsknk084sn02q")
const wallet: AccountPart = { environment: "LIVE", kind: "WALLET", owner: "ada", currency: NGN, books }
const settlement: AccountPart = { ...wallet, kind: "SETTLEMENT", owner: books }

const transfer: Transfer = {
  id: TransferId.make("transfer_01h2xcejqtf2nbrexx3vqjhp41"),
  kind: "REFUND",
  debit: settlement,
  credit: wallet,
  amount: { currency: NGN, minor: 2_500n },
  cause: "refund",
  at: DateTime.makeUnsafe(0)
}

describe("a transfer", () => {
  it("moves money between two different accounts of one environment and one set of books in its currency", () => {
    assert.isTrue(isWellFormed(transfer))
    assert.isTrue(isWellFormed({ ...transfer, debit: { ...external("LIVE", NGN), books } }))
    assert.isTrue(isWellFormed({ ...transfer, debit: { ...wallet, owner: "obi" } }), "from wallet to wallet")
  })

  it.each([
    ["of nothing", { amount: { currency: NGN, minor: 0n } }],
    ["from an account to itself", { debit: wallet }],
    ["from another currency", { debit: { ...settlement, currency: usd } }],
    ["into another currency", { credit: { ...wallet, currency: usd } }],
    ["of a currency that neither account has", { amount: { currency: usd, minor: 1n } }],
    ["from TEST to LIVE", { debit: { ...settlement, environment: "TEST" as const } }],
    ["from one merchant's books to another's", { credit: { ...wallet, books: stranger } }],
    ["from the platform's books", { debit: { ...external("LIVE", NGN), books: "platform" as const } }],
    ["of a settlement account in another's books", { debit: { ...settlement, owner: stranger } }],
    ["from a part of a wallet to another", { debit: { ...wallet, books: stranger } }],
    ["from LIVE to TEST", { credit: { ...wallet, environment: "TEST" as const } }]
  ])("is not %s", (_, change) => {
    assert.isFalse(isWellFormed({ ...transfer, ...change }))
  })

  it("has two postings of equal amounts on opposite sides", () => {
    const { amount, id } = transfer
    assert.deepStrictEqual(postingsOf(transfer), [
      { transferId: id, account: settlement, side: "DEBIT", amount },
      { transferId: id, account: wallet, side: "CREDIT", amount }
    ])
  })
})

describe("an account's text", () => {
  it("is equal for equal keys only, also if an owner's id holds the separator", () => {
    const keys: ReadonlyArray<AccountKey> = [
      wallet,
      { ...wallet, environment: "TEST" },
      { ...wallet, kind: "SETTLEMENT" },
      { ...wallet, currency: usd },
      { ...wallet, owner: "obi" },
      { ...wallet, owner: "LIVE/WALLET/NGN/ada" },
      { ...wallet, owner: "USD/ada" },
      { ...wallet, owner: "" }
    ]
    const elsewhere: AccountPart = { ...wallet, books: stranger }
    assert.strictEqual(new Set(keys.map(accountKeyText)).size, keys.length)
    assert.strictEqual(accountKeyText(wallet), accountKeyText({ ...wallet }))
    assert.strictEqual(accountKeyText(wallet), accountKeyText(elsewhere), "of all its parts")
  })

  it("with the books is equal for equal parts only", () => {
    const parts: ReadonlyArray<AccountPart> = [
      wallet,
      { ...wallet, books: stranger },
      { ...wallet, books: "platform" },
      { ...wallet, owner: `${stranger}/ada` },
      { ...wallet, kind: "EXTERNAL" },
      settlement
    ]
    assert.strictEqual(new Set(parts.map(accountPartText)).size, parts.length)
    assert.strictEqual(accountPartText(wallet), accountPartText({ ...wallet }))
  })
})
