import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { Environment } from "../Environment.js"
import { MerchantId } from "../Ids.js"

/**
 * `WALLET`: a consumer's primary wallet. `SETTLEMENT`: what the platform owes a merchant. `EXTERNAL`: cards and banks
 * outside the ledger, one account per environment and currency; its balance mirrors all money that came in.
 */
export const AccountKind = Schema.Literals(["WALLET", "SETTLEMENT", "EXTERNAL"])
export type AccountKind = typeof AccountKind.Type

/**
 * Identifies an account by kind, owner, environment and currency. The owner is a user id, a merchant id, or `platform`.
 * The first transfer that names a part of an account opens it.
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

/** Whose books: a merchant's, or the platform's own. */
export const Books = Schema.Union([MerchantId, Schema.Literal("platform")])
export type Books = typeof Books.Type

/**
 * An account's part in one set of books: what a transfer debits or credits. Merchants share no part, so none waits for
 * another's transaction. A `SETTLEMENT` account has one part, in its owner's books. A part of a wallet may be negative;
 * its sum over all books is what the consumer has.
 */
export const AccountPart = Schema.Struct({ ...AccountKey.fields, books: Books })
export type AccountPart = typeof AccountPart.Type

/** A part and its own balance in minor units. */
export interface PartBalance {
  readonly key: AccountPart
  readonly balanceMinor: bigint
}

/** The external account of an environment and currency. */
export const external = (environment: Environment, currency: Currency): AccountKey => ({
  environment,
  kind: "EXTERNAL",
  owner: "platform",
  currency
})

/** A string that is equal for equal keys only, and the same for all parts of an account. */
export const accountKeyText = (key: AccountKey): string => `${key.environment}/${key.kind}/${key.currency}/${key.owner}`

/** A string that is equal for equal parts only. */
export const accountPartText = ({ books, currency, environment, kind, owner }: AccountPart): string =>
  `${environment}/${kind}/${currency}/${books}/${owner}`
