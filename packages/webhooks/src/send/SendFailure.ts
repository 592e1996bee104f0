import { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import { Predicate, Schema } from "effect"

/**
 * Why a POST got no response. A webhook attempt's failure is stored and shown to the endpoint's merchant.
 *
 * - `target_not_allowed`: the url is not allowed.
 * - `target_not_allowed:` followed by a class (`loopback`, `private`, …): the address in the url, or an address to
 *   which its name resolves, is not allowed.
 * - `name_not_resolved`: the url's host has no address, or the lookup failed.
 * - `connection_refused`: nothing is listening.
 * - `connection_reset`: the connection closed before a response.
 * - `host_unreachable`: no route to the address.
 * - `tls_failed`: the certificate is not trusted or not valid for the host, or the TLS handshake failed.
 * - `timeout`: no response in time.
 * - `invalid_answer`: the response is not valid HTTP, or its headers are too long.
 * - `failed`: anything else.
 */
export const SendFailure = Schema.Union([
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
export type SendFailure = typeof SendFailure.Type

/** Patterns of error codes from undici and Node (`net`, `dns`, `tls`, `http2`, HTTP parser), each with its failure. */
const byCode: ReadonlyArray<readonly [pattern: RegExp, reason: SendFailure]> = [
  [/^(?:ENOTFOUND|EAI_)/u, "name_not_resolved"],
  [/^ECONNREFUSED$/u, "connection_refused"],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/u, "connection_reset"],
  [/^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/u, "host_unreachable"],
  [/^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_[A-Z]+_TIMEOUT)$/u, "timeout"],
  [/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH$|EPROTO$)/u, "tls_failed"],
  [/^(?:HPE_|ERR_HTTP2_|UND_ERR_(?:HEADERS_OVERFLOW|RES_|RESPONSE))/u, "invalid_answer"]
]

const ofCode = (code: string): SendFailure | undefined => byCode.find(([pattern]) => pattern.test(code))?.[1]

const ofObject = (error: object): SendFailure | undefined => {
  if (error instanceof TargetNotAllowed) {
    return error.addressClass === undefined ? "target_not_allowed" : `target_not_allowed:${error.addressClass}`
  }
  // undici's parser errors have no code, so they are recognised by name.
  if (Predicate.hasProperty(error, "name") && error.name === "HTTPParserError") return "invalid_answer"
  return Predicate.hasProperty(error, "code") && typeof error.code === "string" ? ofCode(error.code) : undefined
}

/** Maximum number of errors to inspect, including the outermost. */
const depth = 6

/** Derives the failure from an error and its causes. Returns `failed` if none of the first six errors is recognised. */
export const fromError = (error: unknown): SendFailure => {
  let at: unknown = error
  for (let level = 0; level < depth && Predicate.isObject(at); level++) {
    const reason = ofObject(at)
    if (reason !== undefined) return reason
    // A host with several addresses fails with one error per address. The first error decides.
    const several: unknown = Predicate.hasProperty(at, "errors") && Array.isArray(at.errors) ? at.errors[0] : undefined
    at = several ?? (Predicate.hasProperty(at, "cause") ? at.cause : undefined)
  }
  return "failed"
}
