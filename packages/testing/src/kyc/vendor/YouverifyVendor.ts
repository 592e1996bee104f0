import { createHmac } from "node:crypto"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import { Effect, Option, Redacted, Schema } from "effect"
import type { KycFixture } from "../KycFixtureLaws.js"
import { personal } from "../KycProviderLaws.js"
import * as VendorServer from "./VendorServer.js"

export const credentials = {
  token: "youverify-token-canary-51d3",
  webhookSecret: "youverify-webhook-canary-0e8a"
} as const

export const numbers = {
  bvn: "11111111119",
  nin: "11111111118",
  vnin: "YV111111111118FY",
  phone: "08000000009",
  ninPhone: "08000000008",
  /** The registry is down, so a webhook delivers the result. */
  later: "33333333339",
  /** Youverify's own lookup fails. */
  failed: "44444444449",
  unknown: "00000000000"
} as const

type Play = VendorServer.VendorReply

const person = {
  firstName: personal.firstName,
  middleName: "Middlename",
  lastName: personal.lastName,
  dateOfBirth: personal.dateOfBirth,
  mobile: numbers.phone,
  gender: "Female",
  image: "data:image/jpg;base64,/9j/4AAQSkZJRg=="
} as const

const ok = (data: Schema.Json): Play => ({
  status: 200,
  body: { success: true, statusCode: 200, message: "success", data, links: [] }
})

const failed = (statusCode: number, message: string): Play => ({
  status: statusCode,
  body: { success: false, statusCode, name: "Error", message, data: {} }
})

const same = (one: unknown, other: string): boolean => String(one).toLowerCase() === other.toLowerCase()

/** Returns Youverify's verdict on each submitted field. */
const validated = (sent: Readonly<Record<string, unknown>>): Schema.Json => {
  const known: Readonly<Record<string, string>> = {
    firstName: person.firstName,
    lastName: person.lastName,
    dateOfBirth: person.dateOfBirth
  }
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      { validated: same(value, known[name] ?? ""), value: known[name] ?? "" }
    ])
  )
}

/** Derives a verification's id from its reference, so that webhooks need no stored state. */
const idOf = (reference: string): string => createHmac("sha256", "id").update(reference).digest("hex").slice(0, 24)

const utf8 = new TextEncoder()

const signed = (body: Schema.Json, header = "x-youverify-signature"): KycCallback => {
  const text = JSON.stringify(body)
  const signature = createHmac("sha256", credentials.webhookSecret).update(text).digest("hex")
  return { body: Redacted.make(utf8.encode(text)), headers: { [header]: signature } }
}

/** Builds the webhook that ends a verification. */
const webhook = (reference: string, status: string): KycCallback =>
  signed({
    event: "identity.verification.completed",
    apiVersion: "v2",
    data: { id: idOf(reference), status, type: "bvn", createdAt: "2026-11-22T10:00:00.000Z", metadata: { reference } }
  })

export interface YouverifyVendor {
  readonly server: VendorServer.VendorServer
  readonly fixture: KycFixture
  readonly webhook: typeof webhook
  readonly signed: typeof signed
}

const kindForm = /^\/v2\/api\/identity\/ng\/(?<kind>bvn|nin|vnin|phone|nin-phone)$/u

const text = Schema.optionalKey(Schema.String)
const Compared = Schema.optionalKey(
  Schema.Struct({
    data: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    selfie: Schema.optionalKey(Schema.Struct({ image: Schema.String }))
  })
)
const Asked = Schema.Struct({
  id: text,
  mobile: text,
  isSubjectConsent: Schema.optionalKey(Schema.Boolean),
  metadata: Schema.optionalKey(Schema.Struct({ reference: text })),
  validation: Compared,
  validations: Compared
})
type Asked = typeof Asked.Type

const readAsked = Schema.decodeUnknownOption(Schema.fromJsonString(Asked))

const found = (kind: string, record: { readonly [name: string]: Schema.Json }, asked: Asked): Play => {
  if (kind === "phone") {
    const phoneDetails = [
      { fullName: "Someone Else", dateOfBirth: "1950-01-01" },
      { fullName: `${person.lastName} ${person.firstName}`, dateOfBirth: person.dateOfBirth }
    ]
    return ok({ ...record, status: "found", phoneDetails })
  }
  const compared = kind === "bvn" ? asked.validation : asked.validations
  return ok({
    ...record,
    ...person,
    status: "found",
    dataValidation: compared?.data !== undefined,
    selfieValidation: compared?.selfie === undefined ? null : true,
    validations: compared?.data === undefined ? null : { data: validated(compared.data), validationMessages: "" }
  })
}

/** Makes a simulated Youverify (doc.youverify.co). */
export const make = (): YouverifyVendor => {
  const server = VendorServer.make({
    isSubmission: ({ path }) => kindForm.test(path),
    refused: failed(402, "Insufficient fund"),
    unknownCode: () => ok({ id: "0123456789abcdef01234567", status: "in_review", ...person }),
    answer: ({ body, headers, method, path }, charge) => {
      const kind = kindForm.exec(path)?.groups?.kind
      if (headers.token !== credentials.token) return failed(401, "Unauthorized")
      if (method !== "POST" || kind === undefined) return failed(404, `Cannot ${method} ${path}`)
      const asked = Option.getOrElse(readAsked(body), (): Asked => ({}))
      if (asked.isSubjectConsent !== true) return failed(400, "isSubjectConsent must be true")
      charge()
      const reference = asked.metadata?.reference ?? ""
      const record = { id: idOf(reference), metadata: { reference }, isConsent: true, type: kind }
      switch (asked.id ?? asked.mobile) {
        case numbers.bvn:
        case numbers.nin:
        case numbers.vnin:
        case numbers.phone:
        case numbers.ninPhone:
          return found(kind, record, asked)
        case numbers.later:
          return ok({ ...record, status: "pending", reason: "The registry is unavailable" })
        case numbers.failed:
          return ok({ ...record, status: "failed" })
        default:
          return ok({ ...record, status: "not_found", reason: "No record found", firstName: null, lastName: null })
      }
    }
  })

  return {
    server,
    webhook,
    signed,
    fixture: {
      verified: { kind: "bvn", id: numbers.bvn },
      notFound: { kind: "bvn", id: numbers.unknown },
      charged: server.charged,
      next: server.next,
      later: { kind: "bvn", id: numbers.later, finish: () => Effect.void },
      code: "none",
      redirect: "none",
      callback: (reference, _, says) =>
        Effect.sync(() => webhook(reference, says === "verified" ? "found" : "not_found"))
    }
  }
}
