import { assert, describe, it } from "@effect/vitest"
import * as Traceparent from "@surety/core/event/Traceparent"
import { Effect, Option, References, Tracer } from "effect"

const span = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }
const text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

const within = (parent: Tracer.AnySpan) => Effect.withParentSpan(Traceparent.current, parent)

describe("A traceparent", () => {
  it.effect("is that of the span that the caller is in", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* within(Tracer.externalSpan(span)), text)
      assert.match((yield* Effect.withSpan(Traceparent.current, "request")) ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    })
  )

  it.effect("is absent without a span, or if it is not recorded", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* Traceparent.current)
      assert.isUndefined(yield* within(Tracer.externalSpan({ ...span, sampled: false })))
      assert.isUndefined(yield* within(Tracer.externalSpan({ ...span, traceId: "a host's own" })))
      const untraced = Effect.provideService(References.TracerEnabled, false)
      assert.isUndefined(yield* untraced(Effect.withSpan(Traceparent.current, "request")))
    })
  )

  it("names the span again", () => {
    const named = Option.getOrThrow(Traceparent.toSpan(text))
    assert.deepInclude(named, { ...span, sampled: true })
    assert.isFalse(Option.getOrThrow(Traceparent.toSpan(text.replace(/01$/u, "00"))).sampled)
    for (const other of ["", "00-1-2-01", `${text}-more`, text.toUpperCase(), text.replace("00-", "ff-")]) {
      assert.isTrue(Option.isNone(Traceparent.toSpan(other)), other)
    }
  })
})
