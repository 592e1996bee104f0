import { Option, Schema } from "effect"
import type { KycFixture } from "../KycFixtureLaws.js"
import { personal } from "../KycProviderLaws.js"
import * as VendorServer from "./VendorServer.js"

export const secretKey = "live_sk_monofixturekey"

/** The correct code for every holder. */
export const rightCode = "482913"

export const numbers = {
  nin: "12345678902",
  /** Found, but the record has neither a name nor a birth date. */
  ninWithoutPerson: "12345678903",
  bvn: "22345678901",
  /** The holder has no registered contact, so Mono offers only `alternate_phone`. */
  bvnWithoutChannel: "22345678902",
  /** The holder's only registered contact is an email address. */
  bvnByEmail: "22345678903",
  /** Mono fails to send the code to its holder. */
  bvnUnsent: "22345678904",
  unknown: "00000000000"
} as const

export const bvnPerson = {
  first_name: personal.firstName.toUpperCase(),
  last_name: personal.lastName.toUpperCase(),
  middle_name: "Middlename",
  dob: personal.dateOfBirth,
  phone_number: "08012345616",
  watch_listed: false,
  photoId: "image_base64"
} as const

export const ninPerson = {
  firstname: personal.firstName.toUpperCase(),
  surname: personal.lastName.toUpperCase(),
  middlename: null,
  birthdate: personal.dateOfBirth.split("-").toReversed().join("-"),
  telephoneno: "2348012345616",
  photo: "image_base64"
} as const

const text = Schema.optionalKey(Schema.String)
const Asked = Schema.Struct({ nin: text, bvn: text, method: text, otp: text })
const readAsked = Schema.decodeUnknownOption(Schema.fromJsonString(Asked))

type Play = VendorServer.VendorReply

const ok = (data: Schema.Json, message = "Successful."): Play => ({
  status: 200,
  body: { status: "successful", message, timestamp: "2026-11-22T10:00:00.000Z", data }
})

const failed = (status: number, message: string): Play => ({ status, body: { status: "failed", message, data: null } })

const hint = (method: string) => ({ method, hint: `A verification code will be sent to your ${method}: 0818***6496` })

const methodsOf = (bvn: string) => {
  switch (bvn) {
    case numbers.bvnWithoutChannel:
      return [hint("alternate_phone")]
    case numbers.bvnByEmail:
      return [hint("alternate_phone"), hint("email")]
    default:
      return [hint("email"), hint("phone"), hint("phone_1"), hint("alternate_phone")]
  }
}

export interface MonoVendor {
  readonly server: VendorServer.VendorServer
  readonly fixture: KycFixture
  /** Methods by which codes were sent, such as `phone`, in order. */
  readonly sent: ReadonlyArray<string>
  /** Sets the response to the next code, whether the code is right or wrong. */
  readonly answerNextCode: (reply: VendorServer.VendorReply) => void
}

/**
 * Makes a simulated Mono (docs.mono.co). Mono documents neither error bodies nor the response to a wrong code. Both are
 * invented here.
 */
export const make = (): MonoVendor => {
  const sessions = new Map<string, { readonly bvn: string; isSent: boolean; isOver: boolean }>()
  const sent: Array<string> = []
  const codeReplies: Array<Play> = []

  const initiate = (bvn: string): Play => {
    if (bvn === numbers.unknown) return failed(404, `BVN ${bvn} not found`)
    const session = `74c8fe70-ea2c-458e-a99f-${String(sessions.size).padStart(12, "0")}`
    sessions.set(session, { bvn, isSent: false, isOver: false })
    return ok({ session_id: session, methods: methodsOf(bvn) }, "BVN Lookup successfully initiated.")
  }

  const verify = (session: string, method: string): Play => {
    const found = sessions.get(session)
    if (found === undefined || found.bvn === numbers.bvnUnsent) return failed(400, "The code could not be sent")
    found.isSent = true
    sent.push(method)
    return ok(null, "Please enter the OTP that was sent to 0906***2020")
  }

  const details = (session: string, otp: string): Play => {
    const found = sessions.get(session)
    if (found === undefined || !found.isSent || found.isOver) return failed(400, "Session expired")
    if (otp !== rightCode) return failed(400, "Invalid OTP provided")
    found.isOver = true
    return ok({ bvn: found.bvn, ...bvnPerson }, "BVN details successfully fetched.")
  }

  const nin = (number: string): Play => {
    switch (number) {
      case numbers.nin:
        return ok({ nin: number, ...ninPerson })
      case numbers.ninWithoutPerson:
        return ok({ nin: number, firstname: null, surname: "", middlename: null, birthdate: null })
      default:
        return failed(404, "NIN not found")
    }
  }

  const server = VendorServer.make({
    isSubmission: ({ path }) => path === "/v3/lookup/nin" || path === "/v2/lookup/bvn/initiate",
    refused: failed(429, "Too many requests"),
    unknownCode: () => ({ status: 200, body: { status: "queued", message: "Later.", data: ninPerson } }),
    answer: ({ body, headers, method, path }, charge) => {
      if (headers["mono-sec-key"] !== secretKey) return failed(401, "Invalid secret key")
      if (method !== "POST") return failed(404, `Cannot ${method} ${path}`)
      const {
        bvn = "",
        method: contact = "",
        nin: number = "",
        otp = ""
      } = Option.getOrElse(readAsked(body), (): typeof Asked.Type => ({}))
      const session = String(headers["x-session-id"])
      switch (path) {
        case "/v3/lookup/nin":
          charge()
          return nin(number)
        case "/v2/lookup/bvn/initiate":
          charge()
          return initiate(bvn)
        case "/v2/lookup/bvn/verify":
          return verify(session, contact)
        case "/v2/lookup/bvn/details":
          return codeReplies.shift() ?? details(session, otp)
        default:
          return failed(404, `Cannot POST ${path}`)
      }
    }
  })

  return {
    server,
    sent,
    answerNextCode: (reply) => void codeReplies.push(reply),
    fixture: {
      verified: { kind: "nin", id: numbers.nin },
      notFound: { kind: "nin", id: numbers.unknown },
      charged: server.charged,
      next: server.next,
      later: "none",
      code: { kind: "bvn", id: numbers.bvn, right: rightCode, wrong: "000001" },
      redirect: "none",
      callback: "none"
    }
  }
}
