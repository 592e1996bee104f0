import { HttpSettings } from "@surety/http/HttpSettings"
import * as RequestSpans from "@surety/http/RequestSpans"
import * as WebHandler from "@surety/http/WebHandler"
import { Cause, Effect, Exit, Layer, Result, Tracer } from "effect"
import * as App from "../../../src/App.js"
import { httpSettings } from "../../../src/httpSettings.js"
import * as Logging from "../../../src/Logging.js"
import { parseSettings } from "../../../src/settings/parseSettings.js"
import { asJson, readAnswer } from "../Merchant.js"
import type { Send } from "./Speaker.js"

const origin = "http://localhost"

const recording = (spans: Array<Tracer.NativeSpan>): Layer.Layer<never> =>
  Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  )

/**
 * Runs the server's services and API in this process, and collects the spans of requests in `spans`. Returns a function
 * that sends a request.
 */
export const traced = Effect.fnUntraced(function* (
  environment: Readonly<Record<string, string>>,
  spans: Array<Tracer.NativeSpan>
) {
  const settings = Result.getOrThrow(parseSettings(environment))
  const { app, keys } = yield* App.open(settings)
  const http = Layer.succeed(HttpSettings, httpSettings(settings, keys, origin))
  const services = Layer.mergeAll(
    Layer.succeedContext(app),
    http,
    Layer.provide(RequestSpans.layer, [http, recording(spans)]),
    Logging.layer(settings)
  )
  const { handle } = yield* Effect.acquireRelease(
    Effect.sync(() => WebHandler.make(services)),
    ({ dispose }) => Effect.promise(dispose)
  )
  const send: Send = (method, path, sending) =>
    Effect.promise(async () => readAnswer(await handle(new Request(`${origin}${path}`, asJson(method, sending)))))
  return send
})

const failureOf = ({ status }: Tracer.NativeSpan): string =>
  status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""

/**
 * Returns the exported parts of a span that may contain data: its name, attributes, events and failure. Exporters do
 * not send the value of a successful span.
 */
export const textOfSpan = (span: Tracer.NativeSpan): string =>
  JSON.stringify([span.name, [...span.attributes], span.events, failureOf(span)], (_, value) =>
    typeof value === "bigint" ? String(value) : value instanceof Error ? `${value.stack}` : value
  )
