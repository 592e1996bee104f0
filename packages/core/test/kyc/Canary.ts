import { inspect } from "node:util"
import { Cause, Effect, Exit, Layer, Logger, Option, Redacted, References, Tracer } from "effect"

/** Replaces redacted values, at any depth, with their contents, which `inspect` would hide. */
const laidOpen = (value: unknown, seen: ReadonlySet<unknown> = new Set()): unknown => {
  if (Redacted.isRedacted(value)) return laidOpen(Redacted.value(value), seen)
  if (typeof value !== "object" || value === null || seen.has(value)) return value
  const further = new Set(seen).add(value)
  const open = (each: unknown) => laidOpen(each, further)
  if (value instanceof Map) return [...value].map(open)
  if (Array.isArray(value) || value instanceof Set) return [...value].map(open)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, open(each)]))
}

/** Formats a value as a string, at full depth and with the contents of redacted values. */
export const keptIn = (value: unknown): string =>
  inspect(laidOpen(value), { depth: null, maxStringLength: null, maxArrayLength: null })

/** Formats a value as a log would show it, including the contents of errors. */
const printed = (value: unknown): string => `${inspect(value, { depth: 6, maxStringLength: null })}\n${String(value)}`

const told = (cause: Cause.Cause<unknown>): string =>
  [
    Cause.pretty(cause),
    ...cause.reasons.map((reason) =>
      printed("error" in reason ? reason.error : "defect" in reason ? reason.defect : "")
    )
  ].join("\n")

/**
 * Collects everything that a run reveals: log lines of every level, spans, and the failures of effects run by `note`.
 */
export const listen = () => {
  const heard: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const logger = Logger.make((entry) => {
    heard.push(printed(entry.message), told(entry.cause), Logger.formatLogFmt.log(entry))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const spanText = ({ attributes, events, name, status }: Tracer.NativeSpan): string =>
    [
      name,
      printed([...attributes]),
      printed(events),
      status._tag === "Ended" && Exit.isFailure(status.exit) ? told(status.exit.cause) : ""
    ].join("\n")

  return {
    layer: Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Layer.succeed(Tracer.Tracer, tracer)
    ),
    note: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, never, R> =>
      Effect.map(Effect.exit(effect), (exit) => {
        if (Exit.isSuccess(exit)) return Option.some(exit.value)
        heard.push(told(exit.cause))
        return Option.none()
      }),
    heard: (): ReadonlyArray<string> => [...heard, ...spans.map(spanText)],
    spanNames: (): ReadonlyArray<string> => spans.map(({ name }) => name)
  }
}
