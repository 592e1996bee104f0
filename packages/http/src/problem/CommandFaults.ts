import { type Fault, inBody } from "./Fault.js"

/** A field of the wire is named in snake_case, the core's in camelCase (contract 0). */
const wireName = (key: string): string => key.replace(/[A-Z]/gu, (capital) => `_${capital.toLowerCase()}`)

/** What the core finds wrong with a command, where it stands in the body. */
export const commandFaults = (
  faults: ReadonlyArray<{
    readonly path: ReadonlyArray<string | number>
    readonly code: string
    readonly detail: string
  }>
): ReadonlyArray<Fault> =>
  faults.map(({ code, detail, path }) =>
    inBody(
      path.map((key) => (typeof key === "string" ? wireName(key) : key)),
      code,
      detail
    )
  )
