import type { CallError } from "../../CallError.js"
import type { Event } from "../../Interface.generated.js"
import { jsonLine, painter, type Terminal, visible } from "../Terminal.js"
import type { Posted } from "./post.js"

export interface Beginning {
  readonly merchantId: string
  readonly merchant: string
  readonly baseUrl: string
  readonly forwardTo: string | undefined
  readonly secret: string
}

export interface Ending {
  /** Delivery attempts by outcome. Undefined if `--forward-to` is not given. */
  readonly counts: { readonly delivered: number; readonly failed: number } | undefined
  /**
   * Id of the last event handled, even if `--topics` excludes it. If none was handled, the id of the event after which
   * `listen` began, if any. A later `listen` can resume after this event.
   */
  readonly last: string | undefined
}

/** Output of `listen`, for a person or a script. */
export interface Report {
  readonly begins: (beginning: Beginning) => void
  /** Called only if no receiver is given. */
  readonly happened: (event: Event) => void
  readonly delivered: (event: Event, attempt: number, posted: Posted) => void
  readonly lost: (error: CallError, retryMillis: number) => void
  readonly restored: () => void
  readonly ends: (ending: Ending) => void
}

export const isDelivered = ({ status = 0 }: Posted): boolean => status >= 200 && status < 300

/** Length of the longest topic, to align columns. */
const widest = 34

const clock = (): string => new Date().toTimeString().slice(0, 8)

export const textReport = ({ colours, onKey, print, printError }: Terminal): Report => {
  const paint = painter(colours)
  let isLost = false
  const line = ({ id, topic }: Event): string =>
    `${paint("dim", clock())}  ${paint("bold", visible(topic).padEnd(widest))}  ${paint("dim", visible(id))}`
  return {
    begins: ({ baseUrl, forwardTo, merchant, secret }) => {
      print(`Listening to the TEST events of ${visible(merchant)} at ${baseUrl}`)
      if (forwardTo !== undefined) {
        print(`Forwarding to ${forwardTo}`)
        print(`Signing with ${paint("cyan", secret)}`)
      }
      if (onKey !== undefined) print(paint("dim", `${forwardTo === undefined ? "" : "r sends the last again, "}q ends`))
    },
    happened: (event) => print(line(event)),
    delivered: (event, attempt, posted) => {
      const { answer = "", durationMillis, error, status } = posted
      const outcome = isDelivered(posted)
        ? paint("green", String(status))
        : paint("red", status === undefined ? `no response: ${error}` : `${status}`)
      const said = isDelivered(posted) || answer === "" ? "" : `: ${visible(answer)}`
      print(`${line(event)}${attempt > 1 ? `  attempt ${attempt}` : ""}  → ${outcome} in ${durationMillis} ms${said}`)
    },
    lost: (error) => {
      // Reported once per outage, since the call is retried until it succeeds.
      if (!isLost) printError(paint("yellow", `The service is unreachable; retrying. ${visible(error.message)}`))
      isLost = true
    },
    restored: () => {
      if (isLost) printError(paint("green", "The service is reachable again."))
      isLost = false
    },
    ends: ({ counts, last }) => {
      if (counts !== undefined) print(`${counts.delivered} delivered, ${counts.failed} failed`)
      if (last !== undefined) print(paint("dim", `To continue from here: --after ${visible(last)}`))
    }
  }
}

/** Builds a report of one JSON object per line, for scripts. `type` names the kind of line. */
export const jsonReport = ({ print }: Terminal): Report => {
  const say = (type: string, members: object): void => print(jsonLine({ type, ...members }))
  const eventOf = ({ id, occurredAt, payload, sequence, topic }: Event) => ({
    eventId: id,
    topic,
    sequence,
    occurredAt,
    payload
  })
  return {
    begins: ({ forwardTo = null, ...more }) => say("ready", { environment: "TEST", forwardTo, ...more }),
    happened: (event) => say("event", eventOf(event)),
    delivered: (event, attempt, posted) =>
      say("delivery", { ...eventOf(event), attempt, delivered: isDelivered(posted), ...posted }),
    lost: (error, retryMillis) => say("lost", { message: error.message, retryMillis: Math.round(retryMillis) }),
    restored: () => say("restored", {}),
    ends: ({ counts = {}, last = null }) => say("end", { ...counts, last })
  }
}
