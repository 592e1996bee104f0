import type { HostLogger, LogLine } from "./HostLogger.js"

/** A logger of `pino`, or another with a method for each level that takes fields and a message. */
export type PinoLike = {
  readonly [Level in LogLine["level"]]: (fields: Record<string, unknown>, message: string) => void
}

const fieldsOf = ({ cause, fields }: LogLine): Record<string, unknown> =>
  cause === undefined ? { ...fields } : { ...fields, cause }

/**
 * The option `logger` for a logger of `pino`: the same levels, the fields and the cause beside the message. The
 * logger's own level, redaction and timestamps apply.
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

/** The part of `console` that is written to. */
export type ConsoleLike = Pick<Console, "debug" | "error" | "info" | "warn">

const methods = { fatal: "error", error: "error", warn: "warn", info: "info", debug: "debug", trace: "debug" } as const

/**
 * The option `logger` for `console`: warnings and errors go to standard error.
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
