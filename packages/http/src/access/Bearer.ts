import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"

const scheme = /^bearer +(\S+) *$/i

/**
 * Returns the credential of `Authorization: Bearer …` (RFC 6750), or `undefined` if the header is missing or malformed.
 */
export const bearerCredential = (
  request: HttpServerRequest.HttpServerRequest
): Redacted.Redacted<string> | undefined => {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  const credential =
    header.startsWith("Bearer ") && !header.includes(" ", 7) ? header.slice(7) : scheme.exec(header)?.[1]
  return credential === undefined || credential === "" ? undefined : Redacted.make(credential)
}

/** Header of a 401 that asks for a bearer credential (RFC 9110, section 11.6.1). */
export const challenge = { "www-authenticate": "Bearer" } as const
