import { CallError, type CallReport } from "./CallError.js"
import type { Fault, Problem } from "./Interface.generated.js"

/** A problem response, with its retry time. */
export interface ProblemAnswer {
  /** The response's status. */
  readonly status: number
  readonly problem: Problem
  readonly retryAfterMillis: number | undefined
}

/**
 * An error response of the service (RFC 9457). Each code has its own class below the class of its status; a
 * code newer than this package gets the class of its status. A code's members, such as `refundable`, are members of the
 * error.
 */
export abstract class ServiceProblem<Code extends string = string> extends CallError {
  readonly status: number
  /** The kind of problem, for programs. Stable. */
  readonly code: Code
  /** The same for every problem of this code. */
  readonly title: string
  /** What happened this time, for people. */
  readonly detail: string
  /** Every fault found in the request, with its place. */
  readonly errors: ReadonlyArray<Fault>
  /** `Retry-After`, if the service sent it. */
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

/** Status 400 and similar: the request is invalid. */
export class BadRequest<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 401: the API key is missing, mistyped or revoked. */
export class Unauthorized<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 403: the key is valid, but may not do this. */
export class Forbidden<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 404. Records of the other environment are not found either. */
export class NotFound<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 409: the request conflicts with an earlier one or with the record's state. */
export class Conflict<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 429. */
export class TooManyRequests<Code extends string = string> extends ServiceProblem<Code> {}

/** Status 500 and above: the service failed. */
export class ServerFailure<Code extends string = string> extends ServiceProblem<Code> {}

const classes: Readonly<Record<number, typeof BadRequest>> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  429: TooManyRequests
}

/** The class of a status. */
export const familyOf = (status: number): typeof BadRequest =>
  classes[status] ?? (status >= 500 ? ServerFailure : BadRequest)
