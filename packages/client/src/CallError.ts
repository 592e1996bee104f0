import type { Operations } from "./Interface.generated.js"
import { SuretyError } from "./SuretyError.js"

/** Details of a failed call. */
export interface CallReport {
  /** The operation called, such as `refunds.create`. */
  readonly operation: keyof Operations
  /** Number of attempts, including one that was aborted before the request was sent. */
  readonly attempts: number
  /** `X-Request-Id` of the last attempt, set even without a response. Quote it when you report a problem. */
  readonly requestId: string
  /**
   * The key sent with every attempt. As long as the service remembers the key, calling again with it never repeats the
   * effect. Undefined if the operation takes no key.
   */
  readonly idempotencyKey: string | undefined
  /**
   * True if the request may have taken effect. In that case, repeat the call with the same `idempotencyKey`, if it is
   * defined, or look up the record. Always false for a read, even for `identity.read`, which may use up a one-time
   * grant.
   */
  readonly mayHaveTakenEffect: boolean
}

/** Base class of the errors of a call that was attempted and failed. */
export abstract class CallError extends SuretyError implements CallReport {
  readonly operation: keyof Operations
  readonly attempts: number
  readonly requestId: string
  readonly idempotencyKey: string | undefined
  readonly mayHaveTakenEffect: boolean

  constructor(what: string, report: CallReport, options?: ErrorOptions) {
    const times = report.attempts > 1 ? `, ${report.attempts} attempts` : ""
    super(`${report.operation}: ${what} (request ${report.requestId}${times})`, options)
    this.operation = report.operation
    this.attempts = report.attempts
    this.requestId = report.requestId
    this.idempotencyKey = report.idempotencyKey
    this.mayHaveTakenEffect = report.mayHaveTakenEffect
  }
}

/** No complete response, because the connection failed or broke. */
export class ConnectionFailed extends CallError {
  /** The runtime's code for the error, such as `ECONNREFUSED`. Undefined if it gives none. */
  readonly systemCode: string | undefined

  constructor(report: CallReport, said: string, systemCode: string | undefined) {
    super(`no response arrived: ${said}`, report)
    this.systemCode = systemCode
  }
}

/** No complete response within the time limit. */
export class TimedOut extends CallError {
  constructor(report: CallReport, millis: number, deadline: boolean) {
    super(`no response arrived within the ${millis} ms that ${deadline ? "a call" : "an attempt"} may take`, report)
  }
}

/** The caller's `signal` aborted the call. The signal's reason is the `cause`. */
export class Aborted extends CallError {
  constructor(report: CallReport, cause: unknown) {
    super("aborted by the caller's signal", report, { cause })
  }
}

/** A response that the client cannot use, such as a proxy's page, a redirect, truncated JSON or an oversized body. */
export class UnexpectedAnswer extends CallError {
  readonly status: number
  /** Time until a retry may help, from the response's `Retry-After`. Undefined if the response has none. */
  readonly retryAfterMillis: number | undefined

  constructor(report: CallReport, status: number, what: string, retryAfterMillis: number | undefined) {
    super(what, report)
    this.status = status
    this.retryAfterMillis = retryAfterMillis
  }
}
