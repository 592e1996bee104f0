import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { Environment } from "../Environment.js"

/**
 * `WALLET`: a consumer's primary wallet; `SETTLEMENT`: what the platform owes a merchant; `EXTERNAL`: the world outside
 * the ledger (cards, banks), one per environment and currency, whose balance mirrors all money that came in.
 */
export const AccountKind = Schema.Literals(["WALLET", "SETTLEMENT", "EXTERNAL"])
export type AccountKind = typeof AccountKind.Type

/**
 * What names an account: there is at most one for a kind, owner, environment and currency. The owner is a user id, a
 * merchant id, or `platform`. An account is opened by the first transfer that names it.
 */
export const AccountKey = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency
})
export type AccountKey = typeof AccountKey.Type

/** An account and its balance in minor units: credits less debits. Only `EXTERNAL` ones go below zero by nature. */
export const Account = Schema.Struct({ key: AccountKey, balanceMinor: Schema.BigInt })
export type Account = typeof Account.Type

/** The account of the world outside. */
export const external = (environment: Environment, currency: Currency): AccountKey => ({
  environment,
  kind: "EXTERNAL",
  owner: "platform",
  currency
})

/** A text that is equal for equal keys, and only for them. */
export const accountKeyText = (key: AccountKey): string => `${key.environment}/${key.kind}/${key.currency}/${key.owner}`
