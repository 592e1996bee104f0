import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { Environment } from "../Environment.js"
import { MerchantId } from "../Ids.js"

/**
 * `WALLET`: a consumer's primary wallet. `SETTLEMENT`: the platform's debt to a merchant. `EXTERNAL`: cards and banks
 * outside the ledger, with one account per environment and currency. The balance of `EXTERNAL` is the negated total of
 * the money in the ledger.
 */
export const AccountKind = Schema.Literals(["WALLET", "SETTLEMENT", "EXTERNAL"])
export type AccountKind = typeof AccountKind.Type

/**
 * Identifies an account by kind, owner, environment and currency. The owner is a user id, a merchant id, or `platform`.
 * A part of the account (`AccountPart`) opens with its first transfer, if not before.
 */
export const AccountKey = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency
})
export type AccountKey = typeof AccountKey.Type

/**
 * An account and its balance in minor units: credits minus debits, summed over its parts. `EXTERNAL` balances are
 * normally negative.
 */
export const Account = Schema.Struct({ key: AccountKey, balanceMinor: Schema.BigInt })
export type Account = typeof Account.Type

/** The owner of a set of books: a merchant or the platform. */
export const Books = Schema.Union([MerchantId, Schema.Literal("platform")])
export type Books = typeof Books.Type

/**
 * An account's part in one set of books. Transfers debit and credit parts. Merchants share no part, so a transfer never
 * locks another merchant's balance. A `SETTLEMENT` account has one part, in its owner's books. A part of a wallet may
 * be negative; the consumer's balance is the sum over all books.
 */
export const AccountPart = Schema.Struct({ ...AccountKey.fields, books: Books })
export type AccountPart = typeof AccountPart.Type

/** A part and its balance in minor units, without the account's other parts. */
export interface PartBalance {
  readonly key: AccountPart
  readonly balanceMinor: bigint
}

/** Key of the `EXTERNAL` account, the counterparty of money that enters or leaves the ledger. */
export const external = (environment: Environment, currency: Currency): AccountKey => ({
  environment,
  kind: "EXTERNAL",
  owner: "platform",
  currency
})

/** Returns a string that identifies an account. All parts of the account share it. */
export const accountKeyText = (key: AccountKey): string => `${key.environment}/${key.kind}/${key.currency}/${key.owner}`

/** Returns a string that identifies a part: the account's fields and the books. */
export const accountPartText = ({ books, currency, environment, kind, owner }: AccountPart): string =>
  `${environment}/${kind}/${currency}/${books}/${owner}`
