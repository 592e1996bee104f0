import { type HostKycOutcome, type HostKycProvider, type HostKycSubmission, NotSubmitted } from "@surety/embed"
import { type AcmeCheck, isAcmeCheck } from "./AcmeCheck.ts"

export interface AcmeSettings {
  /** Base url of Acme's API, such as `https://api.acme-kyc.example`. */
  readonly url: string
  readonly apiKey: string
}

const products = { bvn: "BVN", nin: "NIN", vnin: "VNIN", phone: "PHONE", nin_phone: "NIN_BY_PHONE" } as const

/** Acme's codes for a number that is known not to exist. */
const notFound = new Set(["RECORD_NOT_FOUND", "NUMBER_RETIRED"])

const comparison = (match: boolean | null | undefined) => {
  if (match === true) return "MATCH" as const
  return match === false ? ("NO_MATCH" as const) : ("NOT_CHECKED" as const)
}

const checksOf = ({ matches }: AcmeCheck) => ({
  first_name: comparison(matches?.firstName),
  last_name: comparison(matches?.lastName),
  date_of_birth: comparison(matches?.birthday),
  selfie: comparison(matches?.face)
})

/**
 * Maps Acme's check to an outcome. An unknown state becomes `UNRECOGNISED`, and so does a rejection whose code is
 * missing or not in `notFound`.
 */
export const outcomeOf = (check: AcmeCheck): HostKycOutcome => {
  const providerReference = check.checkId
  switch (check.state) {
    case "done":
      return { status: "VERIFIED", providerReference, checks: checksOf(check) }
    case "running":
      return { status: "PENDING", providerReference }
    case "otp_sent":
      return { status: "REQUIRES_ACTION", providerReference }
    case "rejected":
      return notFound.has(check.code ?? "")
        ? { status: "FAILED", providerReference, reason: "id_not_found", checks: checksOf(check) }
        : { status: "UNRECOGNISED", providerReference }
    case "source_down":
      return { status: "ERROR", providerReference, reason: "source_unavailable" }
    default:
      return { status: "UNRECOGNISED", providerReference }
  }
}

const bodyOf = ({ id, kind, reference, validation }: HostKycSubmission) => ({
  clientReference: reference,
  product: products[kind],
  number: id,
  person: {
    firstName: validation.firstName,
    lastName: validation.lastName,
    birthday: validation.dateOfBirth,
    portrait: validation.selfie
  }
})

/** Reasons by HTTP status, for requests that Acme rejects without processing them or charging for them. */
const turnedAway: Readonly<Record<number, string>> = {
  401: "provider_credentials",
  402: "balance_empty",
  429: "rate_limited"
}

/** HTTP status with which Acme rejects a request because of its content. A retry would be rejected as well. */
const notAccepted = 422

/** Error codes of a failed connection attempt, after which nothing can have been submitted. */
const neverConnected = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const codeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : ""

/**
 * KYC provider for `createSurety({ kyc: acmeKyc(…) })`, backed by Acme, a fictional company. Each call is one attempt:
 * Surety handles the timeout, retries and circuit breaker.
 */
export const acmeKyc = ({ apiKey, url }: AcmeSettings): HostKycProvider => {
  const ask = async (path: string, signal: AbortSignal, body?: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    return fetch(`${url}${path}`, { ...sent, headers, signal, redirect: "error" }).catch((error: unknown) => {
      throw neverConnected.has(codeOf(error)) ? new NotSubmitted("connection_refused") : error
    })
  }

  const read = async (response: Response): Promise<HostKycOutcome> => {
    const refusal = turnedAway[response.status]
    if (refusal !== undefined) throw new NotSubmitted(refusal)
    if (response.status === notAccepted) throw new NotSubmitted("not_accepted", { isRefusal: true })
    if (!response.ok) throw new Error(`Acme answered ${response.status}`)
    const check: unknown = await response.json()
    return isAcmeCheck(check) ? outcomeOf(check) : { status: "UNRECOGNISED" }
  }

  return {
    name: "acme",
    // Acme uses our reference as its idempotency key: a repeated submission returns the same check and costs nothing.
    submit: async (submission, signal) => read(await ask("/checks", signal, bodyOf(submission))),
    lookup: async ({ reference }, signal) => {
      const response = await ask(`/checks/by-reference/${encodeURIComponent(reference)}`, signal)
      return response.status === 404 ? undefined : read(response)
    },
    submitCode: async ({ reference }, code, signal) =>
      read(await ask(`/checks/by-reference/${encodeURIComponent(reference)}/otp`, signal, { code }))
  }
}
