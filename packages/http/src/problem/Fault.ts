import type { FaultCode, InputFault } from "@surety/core/input/InputFault"
import type { ProblemCode } from "./ProblemCode.js"

/** `path` leads from the body's root by field names and list indexes. */
export type Place =
  | { readonly in: "body"; readonly path: ReadonlyArray<PropertyKey> }
  | { readonly in: "query"; readonly name: string }
  | { readonly in: "path"; readonly name: string }
  | { readonly in: "header"; readonly name: string }

/** `code` is a problem code, a fault code, or a webhook url's `TargetPolicy` code. */
export interface Fault {
  readonly place: Place
  readonly code: ProblemCode | FaultCode | (string & {})
  readonly detail: string
}

/** A fault as an item of a problem's `errors` (RFC 9457, section 3). */
export interface FaultRecord {
  readonly pointer?: string
  readonly parameter?: string
  readonly header?: string
  readonly detail: string
  readonly code: string
}

const longestSegment = 128

const segmentOf = (key: PropertyKey): string =>
  encodeURI(String(key).slice(0, longestSegment).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll(
    "#",
    "%23"
  )

/**
 * Builds a JSON Pointer as a URI fragment (RFC 6901, section 6): `#/items/0/amount`. `#` is the entire body. Field
 * names are truncated to `longestSegment` characters.
 */
export const pointerTo = (path: ReadonlyArray<PropertyKey>): string =>
  `#${path.map((key) => `/${segmentOf(key)}`).join("")}`

export const faultRecord = ({ code, detail, place }: Fault): FaultRecord => {
  switch (place.in) {
    case "body":
      return { pointer: pointerTo(place.path), detail, code }
    case "header":
      return { header: place.name, detail, code }
    default:
      return { parameter: place.name, detail, code }
  }
}

export const inBody = (path: ReadonlyArray<PropertyKey>, code: Fault["code"], detail: string): Fault => ({
  place: { in: "body", path },
  code,
  detail
})

export const inHeader = (name: string, code: Fault["code"], detail: string): Fault => ({
  place: { in: "header", name },
  code,
  detail
})

export const bodyFaults = (faults: ReadonlyArray<InputFault>): ReadonlyArray<Fault> =>
  faults.map(({ code, detail, path }) => inBody(path, code, detail))

/** Converts a field name of core from camelCase to the snake_case of `/v1` (contract 0). */
const wireName = (key: PropertyKey): PropertyKey =>
  typeof key === "string" ? key.replace(/[A-Z]/gu, (capital) => `_${capital.toLowerCase()}`) : key

export const snakeCaseFaults = (faults: ReadonlyArray<InputFault>): ReadonlyArray<Fault> =>
  bodyFaults(faults.map(({ path, ...fault }) => ({ ...fault, path: path.map(wireName) })))

export const unknownParameter = (
  name: string,
  detail = "Unknown parameter. Check its spelling, or remove it."
): Fault => ({
  place: { in: "query", name },
  code: "unknown_parameter",
  detail
})
