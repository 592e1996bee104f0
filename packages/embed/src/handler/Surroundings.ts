import type { HttpSettings } from "@surety/http/HttpSettings"
import type { Refusals } from "./refusals.js"

/** What both handlers need besides the services. */
export interface Surroundings {
  readonly settings: HttpSettings["Service"]
  readonly refusals: Refusals
  /** Logs that a body was read before it reached Surety. */
  readonly warnBodyTaken: () => void
  readonly isClosed: () => boolean
}
