import { Option, Schema } from "effect"
import type { FixtureFault, KycFixture } from "../KycFixtureLaws.js"
import * as VendorServer from "./VendorServer.js"

export const secretKey = "sk_live_korafixturekey"

/** Test numbers from Kora's sandbox, and a few of the fixture's own. */
export const numbers = {
  found: "22222222222",
  notFound: "00000000000",
  /** Exists, but no submitted detail matches its holder. */
  otherPerson: "22222222223",
  /** Rejected as malformed. */
  malformed: "22222222224"
}

const Submitted = Schema.Struct({
  id: Schema.String,
  verification_consent: Schema.Boolean,
  validation: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

const readSubmitted = Schema.decodeUnknownOption(Schema.fromJsonString(Submitted))

const labels: Readonly<Record<string, string>> = {
  bvn: "BVN",
  nin: "NIN",
  vnin: "Virtual NIN",
  phone: "Phone number",
  "nin-phone": "NIN phone"
}

const path = /^\/identities\/ng\/(bvn|nin|vnin|phone|nin-phone)$/u

const refuse = (status: number, message: string): VendorServer.VendorReply => ({
  status,
  body: { status: false, message, data: null }
})

/** Returns Kora's documented response for a number that exists. */
const foundReply = (
  { id, validation }: typeof Submitted.Type,
  idType: string,
  reference: string
): VendorServer.VendorReply => {
  const isOther = id === numbers.otherPerson
  const compared = Object.entries(validation ?? {}).map(([field, value]) => [field, { value, match: !isOther }])
  return {
    status: 200,
    body: {
      status: true,
      message: `${labels[idType]} verified successfully`,
      data: {
        reference,
        id,
        id_type: `ng_${idType.replace("-", "_")}`,
        first_name: "Trevor",
        last_name: "Mandela",
        middle_name: null,
        date_of_birth: "1989-07-08",
        phone_number: "08031234567",
        gender: "male",
        address: { town: null, lga: null, state: null, street: null },
        watch_listed: null,
        image: "/9j/4AAQSkZJRgABAQAAAQ",
        ...(compared.length === 0 ? {} : { validation: Object.fromEntries(compared) }),
        requested_by: "API User"
      }
    }
  }
}

/**
 * Makes a server that simulates Kora's identity endpoints and `GET /balances`. Follows Kora's documentation and
 * captured responses.
 */
export const make = (): VendorServer.VendorServer => {
  let references = 0

  const verify = (request: VendorServer.VendorRequest, kind: string, charge: () => void): VendorServer.VendorReply => {
    const submitted = readSubmitted(request.body)
    if (Option.isNone(submitted) || !submitted.value.verification_consent) return refuse(422, "Invalid request")
    const { id } = submitted.value
    if (id === numbers.malformed) {
      const message = `id ${id} must be 11 characters long`
      return {
        status: 422,
        body: { status: false, error: "validation_error", message, data: { id: { message } } }
      }
    }
    charge()
    if (/^0+$/u.test(id) || id === "KO000000000000II" || id === "08000000001") {
      return { status: 404, body: { status: false, message: `${labels[kind]} data not found`, data: {} } }
    }
    references += 1
    return foundReply(submitted.value, kind, `VR-fixture${references}`)
  }

  return VendorServer.make({
    isSubmission: ({ method, path: at }) => method === "POST" && path.test(at),
    answer: (request, charge) => {
      if (request.headers.authorization !== `Bearer ${secretKey}`) return refuse(401, "Invalid authorization key")
      if (request.method === "GET" && request.path === "/balances") {
        return { status: 200, body: { status: true, message: "success", data: {} } }
      }
      const kind = path.exec(request.path)?.[1]
      return kind === undefined ? refuse(404, "Not found") : verify(request, kind, charge)
    },
    refused: refuse(429, "Too many requests"),
    unknownCode: () => ({ status: 200, body: { status: "partially", message: "new", data: { reference: "VR-new" } } })
  })
}

export const fixtureOf = (server: VendorServer.VendorServer): KycFixture => ({
  verified: { kind: "bvn", id: numbers.found },
  notFound: { kind: "bvn", id: numbers.notFound },
  charged: server.charged,
  next: (fault: FixtureFault) => server.next(fault),
  later: "none",
  code: "none",
  redirect: "none",
  callback: "none"
})
