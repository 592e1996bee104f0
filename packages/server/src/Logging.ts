import { Effect, Layer, Logger, References, type Scope } from "effect"
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

const ignore = (): void => {}

/**
 * Until the scope closes, a write to standard output or error that fails is ignored, as after the end of the program
 * that reads them. Node would end the process, with requests in flight. Lines without a reader are lost.
 */
export const outliveReaders: Effect.Effect<void, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore)
  }),
  () =>
    Effect.sync(() => {
      for (const stream of [process.stdout, process.stderr]) stream.off("error", ignore)
    })
)
