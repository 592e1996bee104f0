import type { HostLogger, LogLine } from "./HostLogger.js"

/** A `pino` logger, or any logger with a method for each level that takes fields and a message. */
export type PinoLike = {
  readonly [Level in LogLine["level"]]: (fields: Record<string, unknown>, message: string) => void
}

const fieldsOf = ({ cause, fields }: LogLine): Record<string, unknown> =>
  cause === undefined ? { ...fields } : { ...fields, cause }

/**
 * Adapts a `pino` logger to the option `logger`. Levels stay the same, and fields and cause are passed along with the
 * message. The logger's own level, redaction and timestamps apply.
 *
 * @example
 * import { createSurety, memoryStore, pinoLogger } from "@surety/embed"
 *
 * const surety = await createSurety({ store: memoryStore(), secretsKey, logger: pinoLogger(log) })
 */
export const pinoLogger =
  (log: PinoLike): HostLogger =>
  (line) =>
    log[line.level](fieldsOf(line), line.message)

/** The `console` methods that `consoleLogger` calls. */
export type ConsoleLike = Pick<Console, "debug" | "error" | "info" | "warn">

const methods = { fatal: "error", error: "error", warn: "warn", info: "info", debug: "debug", trace: "debug" } as const

/**
 * Adapts `console` to the option `logger`. Warnings and errors go to standard error.
 *
 * @example
 * import { consoleLogger, createSurety, memoryStore } from "@surety/embed"
 *
 * const surety = await createSurety({ store: memoryStore(), secretsKey, logger: consoleLogger() })
 */
export const consoleLogger =
  (target: ConsoleLike = console): HostLogger =>
  (line) => {
    const fields = fieldsOf(line)
    target[methods[line.level]](line.message, ...(Object.keys(fields).length === 0 ? [] : [fields]))
  }
