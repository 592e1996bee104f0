import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { Environment } from "../Environment.js"

/**
 * `WALLET`: a consumer's primary wallet. `SETTLEMENT`: what the platform owes a merchant. `EXTERNAL`: cards and banks
 * outside the ledger, one account per environment and currency; its balance mirrors all money that came in.
 */
export const AccountKind = Schema.Literals(["WALLET", "SETTLEMENT", "EXTERNAL"])
export type AccountKind = typeof AccountKind.Type

/**
 * Identifies an account by kind, owner, environment and currency. The owner is a user id, a merchant id, or `platform`.
 * The first transfer that names an account opens it.
 */
export const AccountKey = Schema.Struct({
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency
})
export type AccountKey = typeof AccountKey.Type

/** An account and its balance in minor units: credits minus debits. `EXTERNAL` balances are normally negative. */
export const Account = Schema.Struct({ key: AccountKey, balanceMinor: Schema.BigInt })
export type Account = typeof Account.Type

/** The external account of an environment and currency. */
export const external = (environment: Environment, currency: Currency): AccountKey => ({
  environment,
  kind: "EXTERNAL",
  owner: "platform",
  currency
})

/** A string that is equal for equal keys only. */
export const accountKeyText = (key: AccountKey): string => `${key.environment}/${key.kind}/${key.currency}/${key.owner}`
