import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { type Cause, Effect, Predicate, Schema, type SchemaIssue } from "effect"
import type { SqlError, SqlErrorReason } from "effect/sql/SqlError"

/** Classes of SQLSTATE about the server's state, not about the statement. */
const unavailableClasses: ReadonlySet<string> = new Set(["08", "28", "40", "53", "55", "57", "58"])

const unavailableReasons: ReadonlySet<SqlErrorReason["_tag"]> = new Set([
  "ConnectionError",
  "AuthenticationError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
])

/** The server is now a replica, or read-only because its disk is full. */
const readOnlyTransaction = "25006"

/** The error's field, if it is a string. */
export const textOf = (cause: unknown, field: string): string | undefined => {
  const value = Predicate.hasProperty(cause, field) ? cause[field] : undefined
  return typeof value === "string" ? value : undefined
}

/** The server's SQLSTATE, if it replied. */
export const sqlStateOf = (error: SqlError): string | undefined => textOf(error.reason.cause, "code")

/** Whether the same statement may succeed once the server has recovered. */
export const isUnavailable = (error: SqlError): boolean => {
  const state = sqlStateOf(error)
  return (
    unavailableReasons.has(error.reason._tag) ||
    error.reason.operation === "connect" ||
    (state !== undefined && (unavailableClasses.has(state.slice(0, 2)) || state === readOnlyTransaction))
  )
}

/**
 * Whether the person of a new record was erased meanwhile: a foreign key to `consumer` has no such user id. Deciding again
 * finds no one.
 */
export const isPersonGone = (error: SqlError): boolean => {
  const { cause } = error.reason
  // Citus names the constraint with the number of a part of the table, and only in the message.
  const named = textOf(cause, "constraint") ?? textOf(cause, "message") ?? ""
  return sqlStateOf(error) === "23503" && /_consumer_fkey(?:_\d+)?(?:"|$)/.test(named)
}

/**
 * The database's message of a failure, without its details: these quote rows, and rows hold personal data. Messages of
 * class 22 (data exception) quote the value and are replaced.
 */
export class DatabaseFailure extends Schema.TaggedError<DatabaseFailure>(
  "@surety/postgres/connection/storeFailure/DatabaseFailure"
)("DatabaseFailure", {
  operation: Schema.String,
  reason: Schema.String,
  sqlState: Schema.optionalKey(Schema.String),
  constraint: Schema.optionalKey(Schema.String),
  text: Schema.String
}) {
  override get message(): string {
    const place = [this.reason, this.sqlState, this.constraint].filter((part) => part !== undefined).join(" ")
    return `${this.operation}: ${place}: ${this.text}`
  }
}

/** The failure, safe to log. */
export const describe = (operation: string, error: SqlError): DatabaseFailure => {
  const sqlState = sqlStateOf(error)
  const constraint = textOf(error.reason.cause, "constraint")
  return new DatabaseFailure({
    operation,
    reason: error.reason._tag,
    text:
      sqlState?.startsWith("22") === true ? "invalid value" : (textOf(error.reason.cause, "message") ?? error.message),
    ...(sqlState === undefined ? {} : { sqlState }),
    ...(constraint === undefined ? {} : { constraint })
  })
}

/** The storage timed out or its connection failed. The statement may have been committed. */
export const unavailable = (operation: string, cause: unknown): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause }) })

/** The server's failures go to the caller; a statement that can never succeed is our defect. */
export const fromSqlError = (operation: string, error: SqlError): Effect.Effect<never, StoreError> => {
  const failure = describe(operation, error)
  return isUnavailable(error) || isPersonGone(error)
    ? Effect.fail(unavailable(operation, failure))
    : Effect.die(failure)
}

/** The paths of a row's invalid values, without the values. */
const placesOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> => {
  switch (issue._tag) {
    case "Pointer":
      return placesOf(issue.issue).map((rest) => [issue.path.map(String).join("."), rest].filter(Boolean).join("."))
    case "Composite":
      return issue.issues.flatMap(placesOf)
    case "Filter":
    case "Encoding":
      return placesOf(issue.issue)
    default:
      return [""]
  }
}

/** A stored row is invalid. */
export const fromSchemaError = (operation: string, error: Schema.SchemaError): StoreError =>
  new StoreError({
    operation,
    reason: new StoreCorrupt({ cause: new Error(`unexpected value at ${placesOf(error.issue).join(", ")}`) })
  })

/** The verb's time limit has passed. */
export const timedOut = (operation: string, millis: number): StoreError =>
  unavailable(operation, new Error(`no answer within ${millis} ms`))

/** Whether the only cause is an unavailable storage. A lock timeout is not: alone, the same input may succeed. */
export const isGone = (cause: Cause.Cause<StoreError>): boolean =>
  cause.reasons.every((reason) => reason._tag === "Fail" && reason.error.isRetryable && !isLockTimeout(reason.error))

const isLockTimeout = ({ reason }: StoreError): boolean =>
  Schema.is(DatabaseFailure)(reason.cause) && reason.cause.sqlState === "55P03"
