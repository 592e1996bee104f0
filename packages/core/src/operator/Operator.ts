import { Schema } from "effect"

/**
 * An operator's role (see `commandRoles`). `viewer`: read most records. `support`: also see consent links, act for
 * people, manage merchants' deliveries and suspend merchants. `money`: like `viewer`, and also move money and start
 * audits. `admin`: everything.
 */
export const OperatorRole = Schema.Literals(["viewer", "support", "money", "admin"])
export type OperatorRole = typeof OperatorRole.Type

export const OperatorName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, {
    expected: "1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit"
  })
)

/**
 * Lowercases A to Z in a name, so that operators' names are case-insensitive. All other characters stay unchanged, as
 * under PostgreSQL's `lower` with the collation "C".
 */
export const foldedName = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

export interface Operator {
  readonly name: string
  readonly role: OperatorRole
}

/** The bearer of the deployment's unnamed token. Reserved: no named token may use this name. */
export const soleOperator: Operator = { name: "operator", role: "admin" }

/** `admin` includes every role, and every role includes `viewer`. */
export const includesRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  role === "admin" || needed === "viewer" || role === needed

/**
 * Hashes of an empty token: the SHA-256 of nothing, and of a line feed. They result from hashing an unset variable with
 * `printf` or `echo`. The first would admit anyone without a token.
 */
const hollowHashes: ReadonlySet<string> = new Set([
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"
])

/** `tokenHash` is the SHA-256 of the operator's token, which is not empty. */
export const OperatorCredential = Schema.Struct({
  name: OperatorName,
  role: OperatorRole,
  tokenHash: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hex digits in lower case" }),
    Schema.makeFilter((hash) => !hollowHashes.has(hash), { expected: "the hash of a token that is not empty" })
  )
})
export type OperatorCredential = typeof OperatorCredential.Type
