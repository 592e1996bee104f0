import { Aborted, type CallError, type CallReport, ConnectionFailed, TimedOut, UnexpectedAnswer } from "./CallError.js"
import { problemClasses } from "./Problems.generated.js"
import { familyOf, type ProblemAnswer } from "./ServiceProblem.js"

/** A successful response. */
export interface Success {
  readonly kind: "success"
  readonly status: number
  readonly data: unknown
  readonly requestId: string | null
  /** True if the response is a replay of an earlier one under the same idempotency key. */
  readonly replayed: boolean
}

/** Why an attempt failed. */
export type Failure =
  | ({ readonly kind: "problem"; readonly requestId: string | null } & ProblemAnswer)
  | {
      readonly kind: "unexpected"
      readonly status: number
      readonly what: string
      /** True if the status is a success but the JSON body cannot be parsed or exceeds a limit. */
      readonly garbled: boolean
      readonly requestId: string | null
      readonly retryAfterMillis: number | undefined
    }
  | {
      readonly kind: "silence"
      readonly said: string
      readonly systemCode: string | undefined
      /** True if the request was certainly not sent. */
      readonly notSent: boolean
    }
  | {
      readonly kind: "timeout"
      /** The time limit that was exceeded. */
      readonly millis: number
      /** True if the limit applies to the whole call. */
      readonly deadline: boolean
    }
  | { readonly kind: "aborted"; readonly reason: unknown; readonly notSent: boolean }

const isKnown = (code: string): code is keyof typeof problemClasses => Object.hasOwn(problemClasses, code)

/** Maps a failure to its error. A problem gets the class of its code or, if the code is unknown, of its status. */
export const errorOf = (failure: Failure, report: CallReport): CallError => {
  switch (failure.kind) {
    case "problem": {
      const { code } = failure.problem
      const Class = isKnown(code) ? problemClasses[code] : familyOf(failure.status)
      return new (Class as ReturnType<typeof familyOf>)(report, failure, code)
    }
    case "unexpected":
      return new UnexpectedAnswer(report, failure.status, failure.what, failure.retryAfterMillis)
    case "silence":
      return new ConnectionFailed(report, failure.said, failure.systemCode)
    case "timeout":
      return new TimedOut(report, failure.millis, failure.deadline)
    case "aborted":
      return new Aborted(report, failure.reason)
  }
}
