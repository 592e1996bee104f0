import { inspect } from "node:util"
import { Cause, Exit, Layer, Logger, References, Tracer } from "effect"

/** All that someone prints who prints a value, errors with what they hold. */
const printed = (value: unknown): string => `${inspect(value, { depth: 8, maxStringLength: null })}\n${String(value)}`

const told = (cause: Cause.Cause<unknown>): string => `${Cause.pretty(cause)}\n${printed(cause.reasons)}`

/** Hears everything that a run tells the world: log lines of every level, spans, and the values given to `note`. */
export interface Listener {
  readonly layer: Layer.Layer<never>
  readonly note: (value: unknown) => void
  readonly heard: () => string
}

export const make = (): Listener => {
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
    note: (value) => {
      heard.push(printed(value), JSON.stringify(value) ?? "")
    },
    heard: () => [...heard, ...spans.map(spanText)].join("\n")
  }
}
