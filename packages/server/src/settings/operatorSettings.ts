import { isSameOperator } from "@surety/core/operator/approval/Proposal"
import {
  foldedName,
  OperatorCredential,
  OperatorName,
  OperatorRole,
  soleOperator
} from "@surety/core/operator/Operator"
import { Redacted, Result, Schema } from "effect"
import { setting } from "./Setting.js"

const leastTokenLength = 16

/** The rule that `readOperatorToken` enforces, worded to follow the token's name. */
export const tokenRule = `must have at least ${leastTokenLength} characters, printable ASCII without spaces`

export const readOperatorToken = (text: string): Result.Result<Redacted.Redacted<string>, string> =>
  text.length >= leastTokenLength && /^[\x21-\x7e]+$/.test(text)
    ? Result.succeed(Redacted.make(text, { label: "operator token" }))
    : Result.fail(tokenRule)

const isName = Schema.is(OperatorName)
const isOperator = Schema.is(OperatorCredential)

/**
 * Parses `name:role:hash`. Undefined if it is malformed, or if the name is reserved for the bearer of `OPERATOR_TOKEN`.
 */
const readOperator = (text: string): OperatorCredential | undefined => {
  const [name, role, tokenHash, ...rest] = text.split(":")
  const operator = { name, role, tokenHash }
  return isOperator(operator) && !isSameOperator(operator.name, soleOperator.name) && rest.length === 0
    ? operator
    : undefined
}

const hasRepeated = (values: ReadonlyArray<string>): boolean => new Set(values).size < values.length

/** Parses operators. A fault names an operator by position, since the entry may be a misplaced token. */
const readOperators = (text: string): Result.Result<ReadonlyArray<OperatorCredential>, string> => {
  const parts = text.split(",").map((part) => readOperator(part.trim()))
  const operators = parts.flatMap((operator) => operator ?? [])
  const faulty = parts.flatMap((operator, index) => (operator === undefined ? [index + 1] : []))
  if (faulty.length > 0) {
    return Result.fail(
      `operator ${faulty.join(", ")} of ${parts.length} is not name:role:hash, with a name other than ` +
        `${soleOperator.name}, a role of ${OperatorRole.literals.join(", ")}, and the SHA-256 in hex of a token that is ` +
        `not empty; make the hash: printf %s "$TOKEN" | sha256sum`
    )
  }
  if (hasRepeated(operators.map(({ name }) => foldedName(name)))) return Result.fail("names an operator twice")
  if (hasRepeated(operators.map(({ tokenHash }) => tokenHash))) return Result.fail("has a token twice")
  return Result.succeed(operators)
}

export const operatorSettings = {
  operatorToken: setting("OPERATOR_TOKEN", {
    meaning: `guards /operator/*; at least ${leastTokenLength} characters; its bearer is an admin`,
    unset: "development: created and kept in DATA_DIR",
    read: readOperatorToken
  }),
  operators: setting("OPERATOR_TOKENS", {
    meaning:
      "operators with their own tokens, a comma-separated list of name:role:hash; the role is viewer, support, money or admin; " +
      "the hash is the token's SHA-256 in hex",
    unset: "none: OPERATOR_TOKEN alone",
    read: readOperators,
    summary: (operators) => operators.map(({ name, role }) => `${name} (${role})`).join(", ")
  }),
  operatorName: setting("OPERATOR_NAME", {
    meaning: "who runs the surety command on the database: the recorded actor of its changes",
    default: soleOperator.name,
    read: (text) =>
      isName(text)
        ? Result.succeed(text)
        : Result.fail("must be 1 to 64 letters, digits, dots, dashes and underscores, the first a letter or digit")
  })
}
