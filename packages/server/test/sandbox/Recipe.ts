import type { Answered } from "../support/Merchant.js"
import type { Scene } from "./Scene.js"

/** Subject of a table on the page. */
export type Kind =
  | "code"
  | "refund"
  | "data request"
  | "grant"
  | "verification"
  | "failure reason"
  | "not approved"
  | "delivery"
  | "endpoint"
  | "event"

/** How to produce a documented outcome with only a TEST key. */
export interface Recipe {
  readonly kind: Kind
  /** The exact code, status, reason or topic. */
  readonly makes: string
  /** The instructions on the page. */
  readonly how: string
  /** Follows the instructions over HTTP and returns the outcome, which equals `makes` if the page is right. */
  readonly run: (scene: Scene) => Promise<string | undefined>
}

/** A recipe whose last response is a problem with that code. */
export const code = (makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind: "code",
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.code
})

/** A recipe whose last response is a record with that status. */
export const status = (kind: Kind, makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind,
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.status
})

/** A recipe that adds an event of that topic to the list that merchants poll. */
export const event = (makes: string, how: string, run: (scene: Scene) => Promise<unknown>): Recipe => ({
  kind: "event",
  makes,
  how,
  run: async (scene) => {
    await run(scene)
    return (await scene.topics()).find((topic) => topic === makes)
  }
})
