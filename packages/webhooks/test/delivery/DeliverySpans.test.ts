import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { MemoryState } from "@surety/core/memory/MemoryState"
import { Effect, Layer, Option, Tracer } from "effect"
import * as Webhooks from "../../src/Webhooks.js"
import { answer, eventually, receiver } from "../Receiver.js"
import { allAre, emit, layerKeyring, layerWith, register } from "../Scene.js"

const collectSpans = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("a delivery's span", () => {
  it.live("links to the request that caused the event, in its own trace, which no merchant receives", () => {
    const { layer, spans } = collectSpans()
    return Effect.gen(function* () {
      const merchant = yield* receiver(answer(200))
      const endpoint = yield* register(`${merchant.url}/private`)
      yield* emit(endpoint, { traceparent })
      yield* emit(endpoint, {})
      yield* Layer.build(Webhooks.layer.pipe(Layer.provide(NodeHttpClient.layerUndici)))
      const state = yield* MemoryState
      yield* eventually("both are delivered", () => allAre(state, "DELIVERED"))
      const attempts = spans.filter(({ name }) => name === "WebhookDispatcher.attempt")
      expect(attempts).toHaveLength(2)
      for (const { parent, traceId } of attempts) {
        expect(Option.isNone(parent)).toBe(true)
        expect(traceparent).not.toContain(traceId)
      }
      const links = attempts.map(({ links }) => links.map(({ span }) => `${span.traceId}-${span.spanId}`))
      expect(links.sort()).toEqual([[], ["4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"]])
      const sends = spans.filter(({ name }) => name === "WebhookSender.send")
      expect(sends.map(({ traceId }) => traceId).sort()).toEqual(attempts.map(({ traceId }) => traceId).sort())
      for (const { headers } of merchant.received) {
        expect(Object.keys(headers).filter((name) => /^(?:traceparent|tracestate|b3|x-b3-)/u.test(name))).toEqual([])
      }
      const told = JSON.stringify(spans.map(({ attributes, name }) => [name, [...attributes]]))
      expect(told).not.toMatch(/private|whsec_|127\.0\.0\.1/u)
    }).pipe(Effect.provide([layerWith(layerKeyring), layer]))
  })
})
