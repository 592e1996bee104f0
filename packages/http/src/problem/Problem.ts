import { maxFaults } from "@surety/core/input/InputFault"
import { Data } from "effect"
import { type Fault, faultRecord } from "./Fault.js"
import { isProblemCode, type ProblemCode, problemCodes } from "./ProblemCode.js"
import type { ProblemDetails } from "./ProblemDetails.js"

/** Extension members of a problem. Only problems with certain codes have any. */
export type ProblemExtension = Partial<
  Pick<
    ProblemDetails,
    | "currency"
    | "original"
    | "refunded"
    | "refundable"
    | "merchantStatus"
    | "dataRequestStatus"
    | "allowed"
    | "field"
    | "limit"
    | "refundId"
    | "refundStatus"
    | "requiredScope"
    | "leftSeconds"
  >
>

export interface ProblemOptions {
  /** Explanation of this occurrence. Default: the code's advice. */
  readonly detail?: string
  /** Overrides the code's status in `problemCodes`. */
  readonly status?: number
  readonly faults?: ReadonlyArray<Fault>
  readonly extension?: ProblemExtension
  /** Response headers, keyed by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The failure of a request. Returned as `application/problem+json`, so it must not contain secrets. */
export class Problem extends Data.TaggedError("Problem")<{
  readonly code: ProblemCode
  readonly options: ProblemOptions
}> {
  get status(): number {
    return this.options.status ?? problemCodes[this.code].status
  }
}

export const problem = (code: ProblemCode, options: ProblemOptions = {}): Problem => new Problem({ code, options })

/** The problem of a path below `/v1` that has no route, or has one only for TEST keys. */
export const merchantRouteNotFound = problem("route_not_found", {
  detail: "Check the path, and the environment of your key: test helpers exist for TEST keys only."
})

export interface ProblemContext {
  readonly requestId: string
  readonly instance: string
  readonly typePrefix: string
}

export const problemDetails = ({ code, options, status }: Problem, context: ProblemContext): ProblemDetails => ({
  type: context.typePrefix + code,
  title: problemCodes[code].title,
  status,
  detail: options.detail ?? problemCodes[code].advice,
  instance: context.instance,
  code,
  requestId: context.requestId,
  ...(options.faults === undefined ? {} : { errors: options.faults.slice(0, maxFaults).map(faultRecord) }),
  ...options.extension
})

/**
 * Builds the problem of a request with at least one fault. A single fault with a problem code determines the problem's
 * code. Any other fault, or more than one, gives `validation_failed` (contract 12).
 */
export const problemOfFaults = (faults: ReadonlyArray<Fault>): Problem => {
  const [first, ...others] = faults
  if (first === undefined) return problem("validation_failed", { faults })
  if (others.length === 0) {
    return isProblemCode(first.code)
      ? problem(first.code, { detail: first.detail, faults })
      : problem("validation_failed", { detail: first.detail, faults })
  }
  const detail =
    faults.length > maxFaults
      ? `The request has more than ${maxFaults} faults; errors lists the first ${maxFaults}.`
      : `The request has ${faults.length} faults; errors lists them.`
  return problem("validation_failed", { detail, faults })
}
