interface WebHeaders {
  readonly get: (name: string) => string | null
}

interface HeaderRecord {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/** A web `Headers`, or a plain record in any letter case, as Node, Express, Fastify and AWS Lambda provide it. */
export type HeaderFields = WebHeaders | HeaderRecord

const isWebHeaders = (headers: HeaderFields): headers is WebHeaders => typeof headers?.get === "function"

/**
 * The value of the field called `name` (in lower case); an empty one counts as missing.
 *
 * Repeated fields are joined by a space: each of several signatures may be the right one, and any other repeated
 * field no longer equals the signed value.
 */
export const field = (headers: HeaderFields, name: string): string | undefined => {
  const value = isWebHeaders(headers) ? headers.get(name) : headers?.[spelling(headers, name)]
  const text = Array.isArray(value) ? value.join(" ") : value
  return typeof text === "string" && text !== "" ? text : undefined
}

const spelling = (headers: HeaderRecord, name: string): string =>
  headers[name] !== undefined ? name : (Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name)
