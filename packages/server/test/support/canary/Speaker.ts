import { Effect } from "effect"
import type { Answered, Sending } from "../Merchant.js"

/** Sends a request to the API, in this process or another. */
export type Send = (method: string, path: string, sending?: Sending) => Effect.Effect<Answered>

/** A request with its response and sender. */
export interface Spoken {
  readonly party: Party
  readonly method: string
  readonly path: string
  readonly sending: Sending
  readonly answer: Answered
}

export type Party = "platform" | "merchant" | "stranger"

/** A run of the full API: its requests and responses, the secrets that it created, and another merchant's API key. */
export interface Run {
  readonly spoken: Array<Spoken>
  readonly secrets: Record<string, string>
  readonly strangerKey: string
}

type Body = object | undefined

const keyedPaths = [
  "/v1/refunds",
  "/v1/kyc/verifications",
  "/v1/data-requests",
  "/operator/ledger/transfers",
  "/operator/proposals"
]

/** Builds a function that sends requests as one party, with `bearer` if it is set, and records the exchanges. */
export const speaker = (send: Send, spoken: Array<Spoken>, party: Party, bearer?: string) => {
  let keys = 0
  return (method: string, path: string, body?: Body) => {
    keys += 1
    const once = { "idempotency-key": `${party}-${path.slice(0, 40)}-${keys}` }
    const keyed = keyedPaths.includes(path) && method === "POST"
    const sending = {
      ...(bearer === undefined ? {} : { bearer }),
      ...(body === undefined ? {} : { body }),
      ...(keyed ? { headers: once } : {})
    }
    return Effect.map(send(method, path, sending), (answer) => {
      spoken.push({ party, method, path, sending, answer })
      return answer.body
    })
  }
}

/** Sends a request as one party and returns the response body. */
export type Say = ReturnType<typeof speaker>
