import { type Layer, Logger, References } from "effect"

/** A line of Surety's log. No line has a secret or a person's data in it. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly time: Date
  readonly fields: Readonly<Record<string, unknown>>
}

/** Where the host wants log lines. */
export type HostLogger = (line: LogLine) => void

/** A logger that hands lines to the host's. */
export const layer = (log: HostLogger): Layer.Layer<never> =>
  Logger.layer([
    Logger.make(({ date, fiber, logLevel, message }) =>
      log({
        level: logLevel.toLowerCase(),
        message: Array.isArray(message) ? message.map(String).join(" ") : String(message),
        time: date,
        fields: { ...fiber.getRef(References.CurrentLogAnnotations) }
      })
    )
  ])
