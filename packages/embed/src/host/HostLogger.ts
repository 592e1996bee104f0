import { Cause, type Layer, Logger, References } from "effect"
import { contained } from "./contained.js"
import type { OnError } from "./onHostError.js"

/** A line of Surety's log, without secrets or personal data. */
export interface LogLine {
  readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace"
  readonly message: string
  readonly time: Date
  /** Annotations such as `requestId`, `route` and `status`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The failure and its stack, if any. */
  readonly cause?: string
}

/** Receives log lines. Errors it throws go to `onError` and interrupt nothing. */
export type HostLogger = (line: LogLine) => void

const levels = {
  Fatal: "fatal",
  Error: "error",
  Warn: "warn",
  Info: "info",
  Debug: "debug",
  Trace: "trace",
  All: "trace",
  None: "trace"
} as const

/** Builds a layer that logs only through the host's logger. Errors that the logger throws go to `tell`. */
export const layer = (log: HostLogger, tell: OnError = () => {}): Layer.Layer<never> => {
  const write = contained(log, (cause) => tell({ part: "logger", operation: "log", cause }))
  return Logger.layer([
    Logger.make(({ cause, date, fiber, logLevel, message }) =>
      write({
        level: levels[logLevel],
        message: Array.isArray(message) ? message.map(String).join(" ") : String(message),
        time: date,
        fields: { ...fiber.getRef(References.CurrentLogAnnotations) },
        ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
      })
    )
  ])
}
