interface WebHeaders {
  readonly get: (name: string) => string | null
}

interface HeaderRecord {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/**
 * A web `Headers`, or a plain record with names in any letter case, as provided by Node, Express, Fastify and AWS
 * Lambda.
 */
export type HeaderFields = WebHeaders | HeaderRecord

const isWebHeaders = (headers: HeaderFields): headers is WebHeaders => typeof headers?.get === "function"

/**
 * Returns the value of the field `name`, which must be in lower case. An empty value counts as missing.
 *
 * Repeated fields of a record are joined with a space. All repeated `webhook-signature` values are therefore tried, and
 * a repeated id or timestamp fails verification.
 */
export const field = (headers: HeaderFields, name: string): string | undefined => {
  const value = isWebHeaders(headers) ? headers.get(name) : headers?.[spelling(headers, name)]
  const text = Array.isArray(value) ? value.join(" ") : value
  return typeof text === "string" && text !== "" ? text : undefined
}

const spelling = (headers: HeaderRecord, name: string): string =>
  headers[name] !== undefined ? name : (Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name)
