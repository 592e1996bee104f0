import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Predicate, Schema } from "effect"

/**
 * Why an attempt got no answer. Kept with it, for the merchant to see.
 *
 * - `target_not_allowed`: the url may not be called; `target_not_allowed:` and a class (`loopback`, `private`, …): an
 *   address that it has, or that its name resolves to, may not be called.
 * - `name_not_resolved`: the url's host has no address.
 * - `connection_refused`, `connection_reset`: nobody listens there; the connection broke before an answer came.
 * - `host_unreachable`: no way leads to the address.
 * - `tls_failed`: the certificate is not valid for the host, or no common version of TLS was found.
 * - `timeout`: no answer in time.
 * - `invalid_answer`: what came is not HTTP.
 * - `failed`: anything else.
 */
export const NoAnswer = Schema.Union([
  Schema.Literals([
    "target_not_allowed",
    "name_not_resolved",
    "connection_refused",
    "connection_reset",
    "host_unreachable",
    "tls_failed",
    "timeout",
    "invalid_answer",
    "failed"
  ]),
  Schema.TemplateLiteral(["target_not_allowed:", Schema.String])
])
export type NoAnswer = typeof NoAnswer.Type

/** The codes of Node's `net`, `dns` and `tls`, of its HTTP parser and of undici, by their beginnings. */
const byCode: ReadonlyArray<readonly [pattern: RegExp, reason: NoAnswer]> = [
  [/^(?:ENOTFOUND|EAI_)/u, "name_not_resolved"],
  [/^ECONNREFUSED$/u, "connection_refused"],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/u, "connection_reset"],
  [/^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/u, "host_unreachable"],
  [/^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_[A-Z]+_TIMEOUT)$/u, "timeout"],
  [/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH$|EPROTO$)/u, "tls_failed"],
  [/^(?:HPE_|ERR_HTTP2_|UND_ERR_(?:HEADERS_OVERFLOW|RES_|RESPONSE))/u, "invalid_answer"]
]

const ofCode = (code: string): NoAnswer | undefined => byCode.find(([pattern]) => pattern.test(code))?.[1]

const ofObject = (error: object): NoAnswer | undefined => {
  if (error instanceof TargetNotAllowed) {
    return error.addressClass === undefined ? "target_not_allowed" : `target_not_allowed:${error.addressClass}`
  }
  // undici's own check of the first line gives no code.
  if (Predicate.hasProperty(error, "name") && error.name === "HTTPParserError") return "invalid_answer"
  return Predicate.hasProperty(error, "code") && typeof error.code === "string" ? ofCode(error.code) : undefined
}

/** How deep causes are looked into. */
const depth = 6

/** Reads the reason off an error and what caused it. */
export const fromError = (error: unknown): NoAnswer => {
  let at: unknown = error
  for (let level = 0; level < depth && Predicate.isObject(at); level++) {
    const reason = ofObject(at)
    if (reason !== undefined) return reason
    // A host with several addresses fails with one error for each.
    const several: unknown = Predicate.hasProperty(at, "errors") && Array.isArray(at.errors) ? at.errors[0] : undefined
    at = several ?? (Predicate.hasProperty(at, "cause") ? at.cause : undefined)
  }
  return "failed"
}
