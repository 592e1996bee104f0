import type { VerificationId } from "@surety/core/Ids"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { type CheckResult, ProviderReference } from "@surety/core/kyc/verification/Verification"
import { Schema } from "effect"

/** A code or flag. Smile ID sends some of them as strings, others as numbers and booleans. */
const Text = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

/** The result of a job: the response of `/v2/verify`, or `result` in the response of `/v1/job_status`. */
export const JobResult = Schema.Struct({
  ResultCode: Text,
  SmileJobID: Schema.optionalKey(Schema.Unknown),
  IsFinalResult: Schema.optionalKey(Schema.NullOr(Text)),
  PartnerParams: Schema.Struct({ job_id: Schema.String, compared: Schema.optionalKey(Schema.Unknown) }),
  Actions: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        Verify_ID_Number: Schema.optionalKey(Schema.Unknown),
        Names: Schema.optionalKey(Schema.Unknown),
        DOB: Schema.optionalKey(Schema.Unknown)
      })
    )
  )
})
export type JobResult = typeof JobResult.Type

/** A response with an error code instead of a result. The code, not the HTTP status, shows whether a job exists. */
export const Refused = Schema.Struct({ code: Text })

/** The response of `/v1/job_status`. Its signature covers its timestamp and the partner id, but not the result. */
export const JobStatus = Schema.Struct({
  signature: Schema.String,
  timestamp: Schema.String,
  job_complete: Schema.Boolean,
  result: Schema.optionalKey(Schema.NullOr(JobResult))
})

/**
 * Returns true if Smile ID probably never received the job. The response of `/v1/job_status` in that case is
 * undocumented, and assumed to be an incomplete job without a result. If a running job gets the same response, the
 * submission may be sent again under the same `job_id`. Smile ID refuses that with 2215, so nothing is charged twice.
 */
export const isUnknownJob = ({ job_complete, result }: typeof JobStatus.Type): boolean =>
  !job_complete && (result === undefined || result === null)

/**
 * Indicates which names were submitted. Sent in `partner_params`, which Smile ID is assumed to echo. A lookup then
 * gives the same result as the first response.
 */
export type Compared = "both" | "first" | "last" | "none"

const comparedNames: Readonly<Record<Compared, { readonly first: boolean; readonly last: boolean }>> = {
  both: { first: true, last: true },
  first: { first: true, last: false },
  last: { first: false, last: true },
  none: { first: false, last: false }
}

/** Smile ID's verdicts on names or a date. `Transposed`: the same names in another order. */
const verdicts: ReadonlyMap<string, CheckResult> = new Map<string, CheckResult>([
  ["Exact Match", "MATCH"],
  ["Partial Match", "PARTIAL"],
  ["Transposed", "PARTIAL"],
  ["No Match", "NO_MATCH"],
  ["Not Provided", "NOT_CHECKED"],
  ["Not Done", "NOT_CHECKED"],
  ["Not Applicable", "NOT_CHECKED"],
  ["Not Returned", "NOT_CHECKED"],
  ["Unable To Determine", "NOT_CHECKED"],
  ["Issuer Unavailable", "NOT_CHECKED"]
])

const verdictOf = (word: unknown): CheckResult | undefined => {
  if (word === undefined || word === null) return "NOT_CHECKED"
  return typeof word === "string" ? verdicts.get(word) : undefined
}

/** Overall codes for a number that exists, each with the comparison results it allows. */
const found: ReadonlyMap<string, ReadonlyArray<CheckResult>> = new Map<string, ReadonlyArray<CheckResult>>([
  // "ID number validated", which implies nothing about the comparison.
  ["1012", ["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]],
  ["1020", ["MATCH", "NOT_CHECKED"]],
  ["1021", ["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]],
  ["1022", ["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"]]
])

type End = { readonly _tag: "Failed" | "Errored"; readonly reason: string }

const ends: ReadonlyMap<string, End> = new Map<string, End>([
  ["1013", { _tag: "Failed", reason: "id_not_found" }],
  ["1023", { _tag: "Failed", reason: "id_not_found" }],
  ["1014", { _tag: "Failed", reason: "id_format" }],
  ["0001", { _tag: "Failed", reason: "data_invalid" }],
  ["1015", { _tag: "Errored", reason: "registry_down" }],
  ["1016", { _tag: "Errored", reason: "product_not_enabled" }]
])

const isReference = Schema.is(ProviderReference)

/**
 * Returns the outcome of a job. `compared` says which names were submitted. If it is undefined, the value echoed by
 * Smile ID applies, or `none` if no known value is echoed.
 */
export const outcomeOf = (reference: VerificationId, result: JobResult, compared?: Compared): KycOutcome => {
  const { Actions: actions, IsFinalResult: isFinal, PartnerParams: params, SmileJobID: jobId } = result
  if (params.job_id !== reference) return { _tag: "Unrecognised" }
  const providerReference = isReference(jobId) ? jobId : reference
  if (String(isFinal) === "false") return { _tag: "Pending", providerReference }
  const code = String(result.ResultCode)
  const end = ends.get(code)
  if (end?._tag === "Failed") return { ...end, _tag: "Failed", providerReference, checks: {} }
  if (end !== undefined) return { ...end, _tag: "Errored", providerReference }
  const names = verdictOf(actions?.Names)
  const birthday = verdictOf(actions?.DOB)
  const isNumberVerified = actions?.Verify_ID_Number === "Verified"
  const possible = found.get(code)
  if (possible === undefined || names === undefined || birthday === undefined || !isNumberVerified) {
    return { _tag: "Unrecognised", providerReference }
  }
  // A code that contradicts its own details is not understood. 1022, "no match", requires at least one `NO_MATCH`.
  const isContradicted = ![names, birthday].every((each) => possible.includes(each))
  const lacksItsNoMatch = code === "1022" && ![names, birthday].includes("NO_MATCH")
  if (isContradicted || lacksItsNoMatch) return { _tag: "Unrecognised", providerReference }
  const { first, last } = comparedNames[compared ?? comparedOf(params.compared)]
  return {
    _tag: "Verified",
    providerReference,
    checks: {
      first_name: first ? names : "NOT_CHECKED",
      last_name: last ? names : "NOT_CHECKED",
      date_of_birth: birthday
    }
  }
}

const comparedOf = (echoed: unknown): Compared =>
  echoed === "both" || echoed === "first" || echoed === "last" ? echoed : "none"

/** Code for a job that already exists under our reference. */
export const jobExists = "2215"

interface Refusal {
  readonly reason: string
  /** Set if Smile ID would refuse the same request again. */
  readonly isRefusal?: true
}

const wrongRequest: Refusal = { reason: "request_refused", isRefusal: true }
const wrongKey: Refusal = { reason: "credentials_refused" }

/**
 * Refusals without a job or a charge, by code. 2201, 2301 and 2401 are omitted, because they leave the outcome unknown.
 */
export const refusals: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ["2203", wrongRequest],
  ["2204", wrongRequest],
  ["2205", wrongKey],
  ["2212", wrongRequest],
  ["2213", wrongRequest],
  ["2220", { reason: "product_not_enabled", isRefusal: true }],
  ["2405", wrongKey],
  ["2413", wrongRequest]
])
