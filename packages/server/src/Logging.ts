import { Layer, Logger, References } from "effect"
import type { Settings } from "./settings/Settings.js"

/** Used instead of `Logger.consoleJson`, which writes to standard output regardless of `LogToStderr`. */
const jsonLines = Logger.withConsoleError(Logger.formatJson)

/**
 * Logs to standard error, so that standard output carries only what a command prints, such as the server's ready line.
 * Writes JSON lines in production and readable text in development.
 */
export const layer = (settings: Pick<Settings, "logLevel" | "profile">): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([settings.profile === "production" ? jsonLines : Logger.consolePretty()]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, settings.logLevel)
  )
