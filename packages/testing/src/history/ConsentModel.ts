import type { Model } from "./History.js"

/** Clients' operations on one merchant's grants of one person. */
export type ConsentInput =
  | { readonly _tag: "Approve"; readonly request: string; readonly isOneTime: boolean }
  | { readonly _tag: "Revoke"; readonly request: string }
  | { readonly _tag: "Read" }

/** `Done`: approved, not in force any more, or read. `Refused`: decided before, or nothing may be read. */
export type ConsentOutput = "Done" | "Refused"

type Granted = "active" | "one-time" | "ended"

/** The grants by the request that led to each. */
export type PersonGrants = ReadonlyMap<string, Granted>

const withGrant = (state: PersonGrants, request: string, granted: Granted): PersonGrants =>
  new Map(state).set(request, granted)

/** A read of a standing grant changes nothing. Without one, it uses up one of the one-time grants. */
const read = (state: PersonGrants): ReadonlyArray<PersonGrants> => {
  const granted = [...state]
  const used = granted.filter(([, one]) => one === "one-time").map(([request]) => withGrant(state, request, "ended"))
  return granted.some(([, one]) => one === "active") ? [state, ...used] : used
}

/** A person's grants to a merchant: no read after a revocation, and one read of a one-time grant. */
export const consentModel: Model<PersonGrants, ConsentInput, ConsentOutput> = {
  initial: new Map(),
  after: (state, input, output) => {
    const isRefused = output === "Refused"
    switch (input._tag) {
      case "Approve": {
        if (state.has(input.request)) return output === "Done" ? [] : [state]
        return isRefused ? [] : [withGrant(state, input.request, input.isOneTime ? "one-time" : "active")]
      }
      case "Revoke": {
        if (isRefused || !state.has(input.request)) return output === undefined ? [state] : []
        return [withGrant(state, input.request, "ended")]
      }
      case "Read": {
        const after = read(state)
        if (output === "Done") return after
        return output === undefined ? [state, ...after] : after.length === 0 ? [state] : []
      }
    }
  },
  nameOf: (state) =>
    [...state]
      .map(([request, granted]) => `${request}=${granted}`)
      .sort()
      .join(),
  isRead: () => false,
  tell: (input, output) => `${asked(input)} → ${output === undefined ? "no answer" : output.toLowerCase()}`
}

const asked = (input: ConsentInput): string => {
  switch (input._tag) {
    case "Approve":
      return `approves ${input.request}${input.isOneTime ? " for one read" : ""}`
    case "Revoke":
      return `revokes the grant of ${input.request}`
    case "Read":
      return "reads the person's fields"
  }
}
