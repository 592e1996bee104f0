import { CallError, type CallReport } from "./CallError.js"
import type { Fault, Problem } from "./Interface.generated.js"

/** A problem response and its retry delay. */
export interface ProblemAnswer {
  readonly status: number
  readonly problem: Problem
  readonly retryAfterMillis: number | undefined
}

/**
 * An error response from the service (RFC 9457). Each code that this version knows has its own class, a subclass of the
 * class for its status. Any other code gets the class of its status. Members specific to a code, such as `refundable`,
 * become members of the error.
 */
export abstract class ServiceProblem<Code extends string = string> extends CallError {
  readonly status: number
  /** Machine-readable code of the problem. Stable. */
  readonly code: Code
  /** Title shared by every problem with this code. */
  readonly title: string
  /** Human-readable explanation of this occurrence. */
  readonly detail: string
  /** Faults found in the request. Empty if the problem lists none. */
  readonly errors: ReadonlyArray<Fault>
  /** Delay from `Retry-After`, if the service sent one. */
  readonly retryAfterMillis: number | undefined

  constructor(report: CallReport, { problem, retryAfterMillis, status }: ProblemAnswer, code: Code) {
    super(`${status} ${code}. ${problem.title}. ${problem.detail}`, report)
    const { detail, errors = [], title } = problem
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.errors = errors
    this.retryAfterMillis = retryAfterMillis
    for (const [name, value] of Object.entries(problem)) {
      if (!(name in this) && name !== "type" && name !== "instance") {
        Object.defineProperty(this, name, { value, enumerable: true })
      }
    }
  }
}

/** Status 400, or another 4xx without its own class. */
export class BadRequest<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 401: the API key is missing or not valid. */
export class Unauthorized<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 403: the API key is valid, but the request is not allowed. */
export class Forbidden<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 404: the merchant has no such record in the key's environment, or no such route exists. */
export class NotFound<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 409: the request conflicts with the current state, for example of a record or an idempotency key. */
export class Conflict<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 429: the request came too soon or too often. */
export class TooManyRequests<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 500 or above: the service or a system that it depends on failed, is unavailable or is not configured. */
export class ServerFailure<Code extends string = string> extends ServiceProblem<Code> {}

const classes: Readonly<Record<number, typeof BadRequest>> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  429: TooManyRequests
}

/** Returns the class of a status. Statuses below 500 without their own class get `BadRequest`. */
export const familyOf = (status: number): typeof BadRequest =>
  classes[status] ?? (status >= 500 ? ServerFailure : BadRequest)
