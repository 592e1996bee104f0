import { createHmac } from "node:crypto"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import { Effect, Option, Redacted, Schema } from "effect"
import type { KycFixture } from "../KycFixtureLaws.js"
import { personal } from "../KycProviderLaws.js"
import * as VendorServer from "./VendorServer.js"

export const credentials = {
  clientId: "QOREIDCLIENT0001",
  secret: "qoreid-secret-canary-7f2c",
  webhookSecret: "qoreid-webhook-canary-91ab"
} as const

export const numbers = {
  nin: "63184876213",
  /** A NIN that belongs to someone other than the person in the laws. */
  ninOfAnother: "63184876299",
  /** The registry is down, so a webhook delivers the result. */
  ninLater: "33333333333",
  vnin: "AB123456789012CD",
  ninPhone: "08000000000",
  /** The holder must consent. */
  bvn: "95888168924",
  /** The holder has already consented. */
  bvnConsented: "22222222222",
  /** The holder has consented, but QoreID returns no details until `agree` releases them. */
  bvnLater: "33333333330",
  unknown: "00000000000"
} as const

const dayFirst = (date: string): string => date.split("-").toReversed().join("-")

export const person = {
  firstname: personal.firstName,
  lastname: personal.lastName,
  middlename: "Middlename",
  birthdate: dayFirst(personal.dateOfBirth),
  phone: "08000000000",
  gender: "m",
  photo: "/9j/4AAQSkZJRg=="
} as const

const another = { ...person, firstname: "Bunch", lastname: "Dillon", birthdate: "06-01-1974" }

const text = Schema.optionalKey(Schema.String)

const Applicant = Schema.Struct({ firstname: text, lastname: text, dob: text })
type Applicant = typeof Applicant.Type

const readApplicant = Schema.decodeUnknownOption(Schema.fromJsonString(Applicant))
const readClient = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ clientId: text, secret: text })))

type Play = VendorServer.VendorReply

const ok = (body: Schema.Json): Play => ({ status: 200, body })
const failed = (statusCode: number, message: string | ReadonlyArray<string>): Play => ({
  status: statusCode,
  body: { statusCode, message: typeof message === "string" ? message : [...message] }
})

const same = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

/**
 * Builds QoreID's record of a completed check: `verified` if the first or last name matches, otherwise `id_mismatch`. A
 * field that was not sent counts as a mismatch.
 */
const frameOf = (id: number, applicant: Applicant, key: string, number: string, of = person): Schema.Json => {
  const fieldMatches = {
    firstname: same(applicant.firstname, of.firstname),
    lastname: same(applicant.lastname, of.lastname),
    dob: applicant.dob !== undefined && dayFirst(applicant.dob) === of.birthdate,
    phoneNumber: false,
    gender: false,
    emailAddress: false
  }
  const isNamed = fieldMatches.firstname || fieldMatches.lastname
  const check = { status: isNamed ? "PARTIAL_MATCH" : "NO_MATCH", fieldMatches }
  const frame = { id, applicant: { ...applicant }, summary: { [`${key}_check`]: check }, insight: [] }
  return isNamed
    ? { ...frame, status: { state: "complete", status: "verified" }, [key]: { [key]: number, ...of } }
    : { ...frame, status: { state: "complete", status: "id_mismatch" } }
}

const pathForm = /^\/v1\/ng\/identities\/(?<product>[a-z-]+)\/(?<number>\w+)$/u

const consentUrl = (state: number): string =>
  `https://id.nibss-plc.com.ng/oxauth/restv1/authorize?response_type=code&client_id=partner&state=${state}&scope=profile`

const keys: Readonly<Record<string, string>> = { nin: "nin", "virtual-nin": "v_nin", "nin-phone": "nin" }

export interface QoreIdVendor {
  readonly server: VendorServer.VendorServer
  readonly fixture: KycFixture
  /** Records the holder's consent at the registry and releases the holder's details. */
  readonly agree: (bvn: string) => Effect.Effect<void>
  /** Invalidates every token issued so far. */
  readonly expireTokens: Effect.Effect<void>
  /** Builds the signed webhook that ends the NIN check with this id. */
  readonly webhook: (id: string, status: "verified" | "id_mismatch") => KycCallback
  readonly signed: (body: Schema.Json) => KycCallback
}

const utf8 = new TextEncoder()

const signed = (body: Schema.Json): KycCallback => {
  const text = JSON.stringify(body)
  const signature = createHmac("sha512", credentials.webhookSecret).update(text).digest("hex")
  return { body: Redacted.make(utf8.encode(text)), headers: { "x-verifyme-signature": signature } }
}

const applicantOf = (body: string): Applicant => Option.getOrElse(readApplicant(body), () => ({}))

/**
 * Makes a simulated QoreID (docs.qoreid.com). QoreID does not document when it charges for consent requests. This
 * simulation charges for a BVN's first request, and for the first one after each response with the holder's details.
 */
export const make = (): QoreIdVendor => {
  const consented = new Set<string>([numbers.bvnConsented, numbers.bvnLater])
  const released = new Set<string>([numbers.bvn, numbers.bvnConsented])
  const linked = new Set<string>()
  let tokens = 1
  let checks = 1000

  const token = (body: string): Play => {
    const client = Option.getOrUndefined(readClient(body))
    const isKnown = client?.clientId === credentials.clientId && client.secret === credentials.secret
    if (!isKnown) return failed(401, "Invalid credentials")
    return ok({ accessToken: `token-canary-${tokens}`, expiresIn: 7200, tokenType: "Bearer" })
  }

  const check = (product: string, number: string, applicant: Applicant): Play => {
    if (applicant.firstname === undefined || applicant.lastname === undefined) {
      return failed(400, ["firstname should not be empty", "lastname should not be empty"])
    }
    checks += 1
    const key = keys[product] ?? "nin"
    switch (number) {
      case numbers.ninLater:
        return ok({
          id: checks,
          applicant: { ...applicant },
          summary: null,
          status: { state: "pending", status: "pending" }
        })
      case numbers.ninOfAnother:
        return ok(frameOf(checks, applicant, key, number, another))
      case numbers.nin:
      case numbers.vnin:
      case numbers.ninPhone:
        return ok(frameOf(checks, applicant, key, product === "nin-phone" ? numbers.nin : number))
      default:
        return failed(404, `Identity record of ${number} not found`)
    }
  }

  const consent = (number: string, charge: () => void): Play => {
    if (!linked.has(number)) charge()
    linked.add(number)
    if (number === numbers.unknown) return failed(404, `BVN ${number} not found`)
    checks += 1
    if (!consented.has(number)) return ok({ bvn: number, consentUrl: consentUrl(checks), consentStatus: false })
    if (!released.has(number)) return ok({ bvn: number, consentUrl: null, consentStatus: true })
    linked.delete(number)
    return ok({ id: checks, status: { state: "complete", status: "verified" }, bvn: { bvn: number, ...person } })
  }

  const server = VendorServer.make({
    isSubmission: ({ path }) => path.startsWith("/v1/ng/identities/"),
    refused: failed(429, "Too many requests"),
    unknownCode: () => ok({ id: 1, status: { state: "complete", status: "approved_by_partner" }, summary: {} }),
    answer: ({ body, headers, method, path }, charge) => {
      if (method === "POST" && path === "/token") return token(body)
      const { number = "", product = "" } = pathForm.exec(path)?.groups ?? {}
      const isConsent = product === "bvn-consent"
      const isKnown = isConsent ? method === "GET" : method === "POST" && product in keys
      if (!isKnown) return failed(404, `Cannot ${method} ${path}`)
      if (headers.authorization !== `Bearer token-canary-${tokens}`) return failed(401, "Unauthorized")
      if (isConsent) return consent(number, charge)
      charge()
      return check(product, number, applicantOf(body))
    }
  })

  const release = (bvn: string) =>
    Effect.sync(() => {
      consented.add(bvn)
      released.add(bvn)
    })

  const webhook = (id: string, status: "verified" | "id_mismatch"): KycCallback => {
    const applicant = { firstname: personal.firstName, lastname: personal.lastName, dob: personal.dateOfBirth }
    const of = status === "verified" ? person : another
    const data = frameOf(Number(id), applicant, "nin", numbers.ninLater, of)
    return signed({ event: "identity", event_type: "verification_completed", data })
  }

  return {
    server,
    agree: release,
    expireTokens: Effect.sync(() => {
      tokens += 1
    }),
    webhook,
    signed,
    fixture: {
      verified: { kind: "nin", id: numbers.nin },
      notFound: { kind: "nin", id: numbers.unknown },
      charged: server.charged,
      next: server.next,
      later: { kind: "bvn", id: numbers.bvnLater, finish: () => release(numbers.bvnLater) },
      code: "none",
      redirect: { kind: "bvn", id: numbers.bvn, agree: () => release(numbers.bvn), refuse: "not_told" },
      callback: (_, providerReference, says) =>
        Effect.sync(() => webhook(providerReference ?? "0", says === "verified" ? "verified" : "id_mismatch"))
    }
  }
}
