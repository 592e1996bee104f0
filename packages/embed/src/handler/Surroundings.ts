import type { HttpSettings } from "@surety/http/HttpSettings"
import type { Refusals } from "./refusals.js"

/** What both handlers are made with, apart from the services. */
export interface Surroundings {
  readonly settings: HttpSettings["Service"]
  readonly refusals: Refusals
  /** Tells the host, in its log, that a body was read too early. */
  readonly warnBodyTaken: () => void
  readonly isClosed: () => boolean
}
