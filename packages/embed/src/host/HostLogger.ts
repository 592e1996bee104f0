import { Cause, type Layer, Logger, References } from "effect"
import { contained } from "./contained.js"
import type { OnError } from "./onHostError.js"

/** A line of Surety's log. No line has a secret or a person's data in it. */
export interface LogLine {
  readonly level: "fatal" | "error" | "warn" | "info" | "debug" | "trace"
  readonly message: string
  readonly time: Date
  /** What the line is about, such as `requestId`, `route` and `status`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What went wrong, with its stack, where something did. */
  readonly cause?: string
}

/** Where the host wants log lines. What it throws is told to `onError`, and stops nothing. */
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

/** A logger that hands lines to the host's. */
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
