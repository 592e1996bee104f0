import { Schema } from "effect"

/**
 * What an operator may do. `viewer`: read. `support`: also decide for people and merchants' deliveries. `money`: also
 * move money. `admin`: everything.
 */
export const OperatorRole = Schema.Literals(["viewer", "support", "money", "admin"])
export type OperatorRole = typeof OperatorRole.Type

/** An operator's name, as its actions keep it: 1 to 64 letters, digits, dots, dashes and underscores. */
export const OperatorName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, {
    expected: "1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit"
  })
)

/**
 * A name by which two spellings of one operator are the same: the letters A to Z in lower case, all else as it is. Names of
 * operators have no other letters. A host's own name for an actor may, and is compared as it is. PostgreSQL's `lower` under
 * the collation "C" does the same.
 */
export const foldedName = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

/** Who acts on the operator's side. */
export interface Operator {
  readonly name: string
  readonly role: OperatorRole
}

/** The bearer of the deployment's only token. No named token may have this name. */
export const soleOperator: Operator = { name: "operator", role: "admin" }

/** Whether a role includes another: `admin` includes all, every role includes `viewer`. */
export const includesRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  role === "admin" || needed === "viewer" || role === needed

/** An operator and the SHA-256 of its token, in lower-case hex. */
export const OperatorCredential = Schema.Struct({
  name: OperatorName,
  role: OperatorRole,
  tokenHash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 hex digits in lower case" }))
})
export type OperatorCredential = typeof OperatorCredential.Type
