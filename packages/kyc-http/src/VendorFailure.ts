import { KycNotSubmitted, KycOutcomeUnknown } from "@surety/core/kyc/provider/KycProvider"
import { KycFailureReason } from "@surety/core/kyc/verification/Verification"
import { Predicate, Schema } from "effect"

/** The failure of a request that got no response. Contains neither the url nor any of the data sent. */
export class VendorFailure extends Schema.TaggedError<VendorFailure>("@surety/kyc-http/VendorFailure/VendorFailure")(
  "VendorFailure",
  {
    /**
     * False only if the connection failed before a byte of the request was sent, so the vendor certainly received
     * nothing.
     */
    mayHaveReached: Schema.Boolean,
    reason: KycFailureReason
  }
) {
  override get message(): string {
    return `The KYC vendor did not respond: ${this.reason}.`
  }
}

/** Returns core's error for a failed submission: not submitted if the vendor received nothing, otherwise unknown. */
export const submitFailure = ({ mayHaveReached, reason }: VendorFailure): KycNotSubmitted | KycOutcomeUnknown =>
  mayHaveReached ? new KycOutcomeUnknown({ reason }) : new KycNotSubmitted({ reason })

/** Returns core's error for a failed lookup: the outcome stays unknown, even if the vendor received nothing. */
export const lookupFailure = ({ reason }: VendorFailure): KycOutcomeUnknown => new KycOutcomeUnknown({ reason })

/**
 * Reasons by error code of Node's `net` and `dns`. If the failed system call is in `connecting`, each code means that
 * no connection was made.
 */
const unconnected: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection_refused",
  EHOSTUNREACH: "host_unreachable",
  ENETUNREACH: "host_unreachable",
  ETIMEDOUT: "connect_timed_out",
  ENOTFOUND: "name_not_resolved",
  EAI_AGAIN: "name_not_resolved"
}

const connecting: ReadonlyArray<unknown> = ["connect", "getaddrinfo"]

/**
 * Certificate errors. The certificate is checked before the first byte of the request is sent, so the vendor received
 * nothing.
 */
const badCertificate =
  /^(?:CERT_[A-Z_]+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|ERR_TLS_CERT_ALTNAME_INVALID)$/u

const field = (error: object, name: string): unknown => (Predicate.hasProperty(error, name) ? error[name] : undefined)

const unconnectedReason = (error: object): string | undefined => {
  const code = field(error, "code")
  if (typeof code !== "string") return undefined
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "connect_timed_out"
  if (badCertificate.test(code)) return "certificate_invalid"
  return connecting.includes(field(error, "syscall")) ? unconnected[code] : undefined
}

const resets: ReadonlyArray<unknown> = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ECONNABORTED"]

/** Maximum number of levels inspected in the chain of causes, from the outermost error. */
const depth = 6

/**
 * Classifies an error of an HTTP call by its chain of causes. `mayHaveReached` is false only if it is certain that no
 * part of the request was sent.
 */
export const ofError = (error: unknown): VendorFailure => {
  let at: unknown = error
  for (let level = 0; level < depth && Predicate.isObject(at); level += 1) {
    const several = field(at, "errors")
    // A host name with several addresses fails with one error per address. The request counts as not connected only if
    // every address failed to connect.
    const reasons = Array.isArray(several) && several.length > 0 ? several : [at]
    const found = reasons.map((each: unknown) => (Predicate.isObject(each) ? unconnectedReason(each) : undefined))
    if (found[0] !== undefined && found.every((reason) => reason !== undefined)) {
      return new VendorFailure({ mayHaveReached: false, reason: found[0] })
    }
    if (resets.includes(field(at, "code"))) {
      return new VendorFailure({ mayHaveReached: true, reason: "connection_reset" })
    }
    at = field(at, "cause") ?? field(at, "reason")
  }
  return new VendorFailure({ mayHaveReached: true, reason: "no_response" })
}
