import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { type Cause, Effect, Predicate, Schema, type SchemaIssue } from "effect"
import type { SqlError, SqlErrorReason } from "effect/sql/SqlError"

/** Classes of SQLSTATE that speak of the server's state and not of the statement. */
const unavailableClasses: ReadonlySet<string> = new Set(["08", "28", "40", "53", "55", "57", "58"])

const unavailableReasons: ReadonlySet<SqlErrorReason["_tag"]> = new Set([
  "ConnectionError",
  "AuthenticationError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
])

/** A server that has become a replica, or is read-only for want of space. */
const readOnlyTransaction = "25006"

/** The text that an error has under this name, where it has one. */
export const textOf = (cause: unknown, field: string): string | undefined => {
  const value = Predicate.hasProperty(cause, field) ? cause[field] : undefined
  return typeof value === "string" ? value : undefined
}

/** The SQLSTATE that the server answered, where it answered. */
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
 * What the database said of a failure, without its details: these quote rows, and rows hold personal data. Messages of
 * class 22 (data exception) quote the value.
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

/** The failure as it may be shown and logged. */
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

/** The storage did not answer in time, or its connection failed: what was sent may have been committed. */
export const unavailable = (operation: string, cause: unknown): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause }) })

/** A failure of the server's is the caller's to see; a statement that can never succeed is a defect of ours. */
export const fromSqlError = (operation: string, error: SqlError): Effect.Effect<never, StoreError> => {
  const failure = describe(operation, error)
  return isUnavailable(error) ? Effect.fail(unavailable(operation, failure)) : Effect.die(failure)
}

/** The places of a row that are not as they should be, without their values. */
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

/** A row of ours is not as it should be. */
export const fromSchemaError = (operation: string, error: Schema.SchemaError): StoreError =>
  new StoreError({
    operation,
    reason: new StoreCorrupt({ cause: new Error(`unexpected value at ${placesOf(error.issue).join(", ")}`) })
  })

/** The time a verb may take ran out. */
export const timedOut = (operation: string, millis: number): StoreError =>
  unavailable(operation, new Error(`no answer within ${millis} ms`))

/**
 * Whether all that went wrong is that the storage is gone. A lock that was not to be had in time is no such thing: the
 * same may go well when it is tried alone.
 */
export const isGone = (cause: Cause.Cause<StoreError>): boolean =>
  cause.reasons.every((reason) => reason._tag === "Fail" && reason.error.isRetryable && !isLockTimeout(reason.error))

const isLockTimeout = ({ reason }: StoreError): boolean =>
  Schema.is(DatabaseFailure)(reason.cause) && reason.cause.sqlState === "55P03"
