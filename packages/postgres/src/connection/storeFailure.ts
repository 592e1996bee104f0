import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { type Cause, Effect, Predicate, Schema, type SchemaIssue } from "effect"
import type { SqlError, SqlErrorReason } from "effect/sql/SqlError"

/** SQLSTATE classes of failures after which the same statement may succeed. */
const unavailableClasses: ReadonlySet<string> = new Set(["08", "28", "40", "53", "55", "57", "58"])

const unavailableReasons: ReadonlySet<SqlErrorReason["_tag"]> = new Set([
  "ConnectionError",
  "AuthenticationError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
])

/** SQLSTATE of a write in a read-only transaction, as on a replica. */
const readOnlyTransaction = "25006"

export const textOf = (cause: unknown, field: string): string | undefined => {
  const value = Predicate.hasProperty(cause, field) ? cause[field] : undefined
  return typeof value === "string" ? value : undefined
}

/** Every SQLSTATE of PostgreSQL has a digit, unlike a socket's code such as `EPIPE`. */
const sqlStateForm = /^(?=.*\d)[0-9A-Z]{5}$/

/**
 * Returns the server's SQLSTATE from a driver's error. Errors without one come from the socket, the driver or the pool.
 */
export const sqlStateIn = (cause: unknown): string | undefined => {
  const code = textOf(cause, "code")
  return code !== undefined && sqlStateForm.test(code) ? code : undefined
}

export const sqlStateOf = (error: SqlError): string | undefined => sqlStateIn(error.reason.cause)

/** Returns true if the same statement may succeed later. */
export const isUnavailable = (error: SqlError): boolean => {
  const state = sqlStateOf(error)
  return (
    unavailableReasons.has(error.reason._tag) ||
    error.reason.operation === "connect" ||
    (state !== undefined && (unavailableClasses.has(state.slice(0, 2)) || state === readOnlyTransaction))
  )
}

/**
 * Returns true if a foreign key to `consumer` was violated, because a new record's person has just been erased. A retry
 * no longer finds the person, so it decides correctly.
 */
export const isPersonGone = (error: SqlError): boolean => {
  const { cause } = error.reason
  // Citus appends the number of a table's shard to the constraint name, and reports that name only in the message.
  const named = textOf(cause, "constraint") ?? textOf(cause, "message") ?? ""
  return sqlStateOf(error) === "23503" && /_consumer_fkey(?:_\d+)?(?:"|$)/.test(named)
}

/**
 * The database's error message without its details, which quote rows and thus personal data. Messages of class 22 (data
 * exception) may quote a value, so they are replaced.
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

/** Describes a failure in a form that is safe to log. */
export const describe = (operation: string, error: SqlError): DatabaseFailure => {
  const sqlState = sqlStateOf(error)
  const { cause } = error.reason
  const constraint = textOf(cause, "constraint")
  return new DatabaseFailure({
    operation,
    reason: error.reason._tag,
    // If several addresses refuse the connection, Node's error has a code but an empty message.
    text:
      sqlState?.startsWith("22") === true
        ? "invalid value"
        : textOf(cause, "message") || textOf(cause, "code") || error.message,
    ...(sqlState === undefined ? {} : { sqlState }),
    ...(constraint === undefined ? {} : { constraint })
  })
}

/**
 * Builds a retryable error (`StoreUnavailable`), for example after a timeout or a failed connection. The statement may
 * have been committed.
 */
export const unavailable = (operation: string, cause: unknown): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause }) })

/**
 * Fails with a retryable `StoreError` if the same statement may succeed later (`isUnavailable`), or if the person was
 * just erased. Dies for any other error.
 */
export const fromSqlError = (operation: string, error: SqlError): Effect.Effect<never, StoreError> => {
  const failure = describe(operation, error)
  return isUnavailable(error) || isPersonGone(error)
    ? Effect.fail(unavailable(operation, failure))
    : Effect.die(failure)
}

/** Returns the paths of a row's invalid values, without the values. */
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

/** Builds the error for an invalid stored row. It names the paths of the invalid values, but not the values. */
export const fromSchemaError = (operation: string, error: Schema.SchemaError): StoreError =>
  new StoreError({
    operation,
    reason: new StoreCorrupt({ cause: new Error(`unexpected value at ${placesOf(error.issue).join(", ")}`) })
  })

export const timedOut = (operation: string, millis: number): StoreError =>
  unavailable(operation, new Error(`no response within ${millis} ms`))

/**
 * Returns true if every failure is a retryable `StoreError` and none is a lock timeout. After a lock timeout, the same
 * input may succeed outside its batch.
 */
export const isGone = (cause: Cause.Cause<StoreError>): boolean =>
  cause.reasons.every((reason) => reason._tag === "Fail" && reason.error.isRetryable && !isLockTimeout(reason.error))

const isLockTimeout = ({ reason }: StoreError): boolean =>
  Schema.is(DatabaseFailure)(reason.cause) && reason.cause.sqlState === "55P03"
