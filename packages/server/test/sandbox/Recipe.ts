import type { Answered } from "../support/Merchant.js"
import type { Scene } from "./Scene.js"

/** What the page's table is about. */
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

/** How a documented outcome is made with a TEST key alone. */
export interface Recipe {
  readonly kind: Kind
  /** The code, status, reason or topic, exactly. */
  readonly makes: string
  /** How, as the page says it. */
  readonly how: string
  /** Makes it over HTTP and returns the outcome: `makes`, if the page is right. */
  readonly run: (scene: Scene) => Promise<string | undefined>
}

/** A recipe whose last answer is a problem with the code. */
export const code = (makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind: "code",
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.code
})

/** A recipe whose last answer is a record of that status. */
export const status = (kind: Kind, makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind,
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.status
})

/** A recipe that leaves an event of the topic in the list to poll. */
export const event = (makes: string, how: string, run: (scene: Scene) => Promise<unknown>): Recipe => ({
  kind: "event",
  makes,
  how,
  run: async (scene) => {
    await run(scene)
    return (await scene.topics()).find((topic) => topic === makes)
  }
})
