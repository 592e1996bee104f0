import type { Answered } from "../support/Merchant.js"
import type { Scene } from "./Scene.js"

/** Kind of outcome. The page shows it before each outcome that is not a code. */
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

/** Builds a recipe whose last response must be a problem with the code `makes`. */
export const code = (makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind: "code",
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.code
})

/** Builds a recipe whose last response must be a record with the status `makes`. */
export const status = (kind: Kind, makes: string, how: string, run: (scene: Scene) => Promise<Answered>): Recipe => ({
  kind,
  makes,
  how,
  run: async (scene) => (await run(scene)).body?.status
})

/** Builds a recipe that must add an event of the topic `makes` to the list that merchants poll. */
export const event = (makes: string, how: string, run: (scene: Scene) => Promise<unknown>): Recipe => ({
  kind: "event",
  makes,
  how,
  run: async (scene) => {
    await run(scene)
    return (await scene.topics()).find((topic) => topic === makes)
  }
})
