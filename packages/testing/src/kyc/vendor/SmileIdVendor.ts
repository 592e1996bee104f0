import { createHmac } from "node:crypto"
import type { VerificationId } from "@surety/core/Ids"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import { Effect, Option, Redacted, Schema } from "effect"
import type { KycFixture } from "../KycFixtureLaws.js"
import * as VendorServer from "./VendorServer.js"

export const partnerId = "4321"
export const apiKey = "smile-fixture-api-key"

/** Numbers from Smile ID's sandbox, where the last digit selects the outcome, and a few of the fixture's own. */
export const numbers = {
  found: "00000000000",
  notFound: "00000000001",
  malformed: "00000000002",
  registryDown: "00000000003",
  partialMatch: "00000000005",
  noMatch: "00000000006",
  transposed: "00000000007"
}

/**
 * Returns the signature that Smile ID and its partners use. It covers the timestamp and the partner id, not the body.
 */
export const signatureOf = (timestamp: string, key: string = apiKey): string =>
  createHmac("sha256", key).update(`${timestamp}${partnerId}sid_request`).digest("base64")

const signed = (timestamp = new Date().toISOString()) => ({ timestamp, signature: signatureOf(timestamp) })

const Authenticated = Schema.Struct({ partner_id: Schema.String, timestamp: Schema.String, signature: Schema.String })

const Submitted = Schema.Struct({
  id_number: Schema.String,
  id_type: Schema.Literals(["BVN", "NIN_V2", "V_NIN", "PHONE_NUMBER"]),
  country: Schema.Literal("NG"),
  first_name: Schema.optionalKey(Schema.String),
  last_name: Schema.optionalKey(Schema.String),
  dob: Schema.optionalKey(Schema.String),
  partner_params: Schema.StructWithRest(
    Schema.Struct({ job_id: Schema.String, user_id: Schema.String, job_type: Schema.Literal(5) }),
    [Schema.Record(Schema.String, Schema.Json)]
  )
})

const Asked = Schema.Struct({ user_id: Schema.String, job_id: Schema.String })

const parsed = <A>(schema: Schema.ConstraintDecoder<A>) => Schema.decodeUnknownOption(Schema.fromJsonString(schema))
const readAuthenticated = parsed(Authenticated)
const readSubmitted = parsed(Submitted)
const readAsked = parsed(Asked)

interface Ending {
  readonly code: string
  readonly text: string
  readonly names?: string
  readonly verified?: string
}

const endings: Readonly<Record<string, Ending>> = {
  [numbers.found]: { code: "1020", text: "Exact Match", names: "Exact Match" },
  [numbers.notFound]: { code: "1013", text: "Invalid ID", verified: "Not Verified" },
  [numbers.malformed]: { code: "1014", text: "Unsupported ID Type or Format", verified: "Not Done" },
  [numbers.registryDown]: { code: "1015", text: "Database Unavailable", verified: "Issuer Unavailable" },
  [numbers.partialMatch]: { code: "1021", text: "Partial Match", names: "Partial Match" },
  [numbers.noMatch]: { code: "1022", text: "No Match", names: "No Match" },
  [numbers.transposed]: { code: "1021", text: "Partial Match", names: "Transposed" }
}

const unlisted: Ending = { code: "1013", text: "Invalid ID", verified: "Not Verified" }

type Result = { readonly [key: string]: Schema.Json }

/** Makes a simulated Smile ID: its Basic KYC and job status endpoints, as documented, and its callbacks. */
export const make = () => {
  const jobs = new Map<string, Result>()

  const resultOf = (submitted: typeof Submitted.Type): Result => {
    const { dob, first_name: first, id_number: number, last_name: last, partner_params: params } = submitted
    const ending = endings[number] ?? unlisted
    const hasNames = first !== undefined || last !== undefined
    return {
      SmileJobID: String(jobs.size + 1).padStart(10, "0"),
      PartnerParams: params,
      ResultType: "ID Verification",
      ResultText: ending.text,
      ResultCode: ending.code,
      IsFinalResult: "true",
      Actions: {
        Verify_ID_Number: ending.verified ?? "Verified",
        Names: ending.names !== undefined && hasNames ? ending.names : "Not Provided",
        DOB: ending.names !== undefined && dob !== undefined ? "Exact Match" : "Not Provided",
        Return_Personal_Info: "Not Applicable"
      },
      Country: "NG",
      IDType: submitted.id_type,
      IDNumber: number
    }
  }

  const submit = (body: string, charge: () => void): VendorServer.VendorReply => {
    const submitted = readSubmitted(body)
    if (Option.isNone(submitted)) {
      return { status: 400, body: { error: "A required parameter is missing", code: "2213" } }
    }
    const { job_id: id } = submitted.value.partner_params
    if (jobs.has(id)) return { status: 400, body: { error: "Job already exists for job_id", code: "2215" } }
    charge()
    const result = resultOf(submitted.value)
    jobs.set(id, result)
    return { status: 200, body: { ...result, ...signed() } }
  }

  const statuses: Array<Result> = []

  const statusOf = (body: string): VendorServer.VendorReply => {
    const scripted = statuses.shift()
    if (scripted !== undefined) return { status: 200, body: { ...signed(), ...scripted } }
    const asked = readAsked(body)
    const result = Option.isSome(asked) && asked.value.user_id === asked.value.job_id && jobs.get(asked.value.job_id)
    return result
      ? { status: 200, body: { ...signed(), job_complete: true, job_success: true, code: "2302", result } }
      : { status: 200, body: { ...signed(), job_complete: false, job_success: false } }
  }

  const server = VendorServer.make({
    isSubmission: ({ path }) => path === "/v2/verify",
    answer: ({ body, method, path }, charge) => {
      const caller = readAuthenticated(body)
      const isKnown =
        Option.isSome(caller) &&
        caller.value.partner_id === partnerId &&
        caller.value.signature === signatureOf(caller.value.timestamp)
      if (!isKnown) return { status: 400, body: { error: "You are not authorized to do that", code: "2205" } }
      if (method === "POST" && path === "/v2/verify") return submit(body, charge)
      if (method === "POST" && path === "/v1/job_status") return statusOf(body)
      return { status: 404, body: { message: "Not Found" } }
    },
    refused: { status: 429, body: { message: "Too Many Requests" } },
    unknownCode: (done) =>
      typeof done === "object" && typeof done.body === "object"
        ? { status: 200, body: { ...done.body, ResultCode: "1999", ResultText: "New" } }
        : done
  })

  const called = (reference: string, signature: Result): KycCallback => {
    const body = { ...jobs.get(reference), PartnerParams: { job_id: reference }, ...signature }
    return {
      body: Redacted.make(new TextEncoder().encode(JSON.stringify(body))),
      headers: { "content-type": "application/json" }
    }
  }

  const callbackOf = (reference: string, timestamp = new Date().toISOString(), key = apiKey): KycCallback =>
    called(reference, { timestamp, signature: signatureOf(timestamp, key) })

  const fixture: KycFixture = {
    verified: { kind: "bvn", id: numbers.found },
    notFound: { kind: "bvn", id: numbers.notFound },
    charged: server.charged,
    next: server.next,
    later: "none",
    code: "none",
    redirect: "none",
    callback: (reference: VerificationId) => Effect.sync(() => callbackOf(reference)),
    forge: () => {
      const [reference = ""] = jobs.keys()
      const timestamp = new Date().toISOString()
      return [called(reference, {}), called(reference, { timestamp }), callbackOf(reference, timestamp, "another-key")]
    }
  }

  /** Sets the signed response to the next job status request. */
  const scriptStatus = (status: Result) => Effect.sync(() => void statuses.push(status))

  return { server, callbackOf, fixture, scriptStatus }
}
