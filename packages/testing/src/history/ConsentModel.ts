import type { Model } from "./History.js"

export type ConsentInput =
  | { readonly _tag: "Approve"; readonly request: string; readonly isOneTime: boolean }
  | { readonly _tag: "Revoke"; readonly request: string }
  | { readonly _tag: "Read" }

/** `Done`: approved, revoked, or read. `Refused`: already decided, or nothing can be read. */
export type ConsentOutput = "Done" | "Refused"

type Granted = "active" | "one-time" | "ended"

/** State of each grant, keyed by the request that led to it. */
export type PersonGrants = ReadonlyMap<string, Granted>

const withGrant = (state: PersonGrants, request: string, granted: Granted): PersonGrants =>
  new Map(state).set(request, granted)

/**
 * Returns the possible states after a read. A read under an active grant changes nothing. A read under a one-time grant
 * ends that grant. Returns none if the person has no grant, or only ended ones.
 */
const read = (state: PersonGrants): ReadonlyArray<PersonGrants> => {
  const granted = [...state]
  const used = granted.filter(([, one]) => one === "one-time").map(([request]) => withGrant(state, request, "ended"))
  return granted.some(([, one]) => one === "active") ? [state, ...used] : used
}

/**
 * Model of one person's grants to one merchant. A read needs a grant that has not ended. A revocation ends a grant for
 * good, and a one-time grant allows one read.
 */
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
  // A read under a lasting grant changes nothing. Once that grant is revoked, the same read uses up a one-time grant.
  mayChangeLater: ({ _tag }, output) => _tag === "Read" && output === "Done",
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
