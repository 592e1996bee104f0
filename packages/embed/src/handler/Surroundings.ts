import type { HttpSettings } from "@surety/http/HttpSettings"
import type { HandlerRefusals } from "./refusals.js"

/** What both handlers need besides the services. */
export interface Surroundings {
  readonly settings: HttpSettings["Service"]
  readonly refusals: HandlerRefusals
  /** Logs that a body was read before it reached Surety. */
  readonly warnBodyTaken: () => void
  readonly isClosed: () => boolean
}
