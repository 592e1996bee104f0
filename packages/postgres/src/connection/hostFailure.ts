import {
  AuthenticationError,
  AuthorizationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  SqlError,
  type SqlErrorReason,
  SqlSyntaxError,
  StatementTimeoutError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"
import { sqlStateIn, textOf } from "./storeFailure.js"

/** Returns true if the error has a SQLSTATE, which means that the server replied. */
export const hasAnswered = (cause: unknown): boolean => sqlStateIn(cause) !== undefined

const reasonOf = (operation: string, cause: unknown): SqlErrorReason => {
  const facts = { cause, operation, message: textOf(cause, "message") ?? "the database failed" }
  const code = sqlStateIn(cause)
  if (code === undefined) return new ConnectionError(facts)
  switch (code) {
    case "42501":
      return new AuthorizationError(facts)
    case "23505":
      return new UniqueViolation({ ...facts, constraint: textOf(cause, "constraint") ?? "unknown" })
    case "40P01":
      return new DeadlockError(facts)
    case "40001":
      return new SerializationError(facts)
    case "55P03":
      return new LockTimeoutError(facts)
    case "57014":
      return new StatementTimeoutError(facts)
  }
  switch (code.slice(0, 2)) {
    case "08":
      return new ConnectionError(facts)
    case "28":
      return new AuthenticationError(facts)
    case "42":
      return new SqlSyntaxError(facts)
    case "23":
      return new ConstraintError(facts)
    default:
      return new UnknownError(facts)
  }
}

/**
 * Maps an error of the host's driver by its SQLSTATE, as `@effect/sql-pg` does. An error without a SQLSTATE becomes a
 * `ConnectionError`.
 */
export const hostFailure = (operation: string, cause: unknown): SqlError =>
  new SqlError({ reason: reasonOf(operation, cause) })
