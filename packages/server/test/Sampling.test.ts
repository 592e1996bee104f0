import { assert, describe, it } from "@effect/vitest"
import type { Sampler } from "@surety/server/settings/telemetrySettings"
import { sampling } from "@surety/server/Telemetry"
import { Context, Option, Tracer } from "effect"

const native = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

const spanOf = (sampler: Sampler, ratio: number, parent: Option.Option<Tracer.AnySpan>, isWanted = true) =>
  sampling(
    sampler,
    ratio
  )(native).span({
    name: "s",
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: 0n,
    kind: "internal",
    root: false,
    sampled: isWanted
  })

const isRecorded = (sampler: Sampler, ratio: number, parent: Option.Option<Tracer.AnySpan> = Option.none()): boolean =>
  spanOf(sampler, ratio, parent, Option.isNone(parent) || parent.value.sampled).sampled

const remote = (traceId: string, sampled: boolean) =>
  Option.some(Tracer.externalSpan({ traceId, spanId: "b7ad6b7169203331", sampled }))

const low = "0af7651916cd43dd8000000000000001"
const high = "0af7651916cd43dd8fffffffffffffff"

describe("OTEL_TRACES_SAMPLER", () => {
  it("records everything, nothing, or a share by the trace's id", () => {
    assert.isTrue(isRecorded("always_on", 0))
    assert.isFalse(isRecorded("always_off", 1))
    assert.isTrue(isRecorded("traceidratio", 1))
    assert.isFalse(isRecorded("traceidratio", 0))
    assert.isTrue(isRecorded("traceidratio", 0.5, remote(low, false)))
    assert.isFalse(isRecorded("traceidratio", 0.5, remote(high, true)))
    const count = Array.from({ length: 2_000 }, () => isRecorded("traceidratio", 0.25)).filter(Boolean).length
    assert.isTrue(count > 300 && count < 700, `${count} of 2,000`)
  })

  it("follows a caller's decision if it is parentbased", () => {
    for (const sampler of ["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const) {
      assert.isTrue(isRecorded(sampler, 0, remote(high, true)), sampler)
      assert.isFalse(isRecorded(sampler, 1, remote(low, false)), sampler)
    }
    assert.isTrue(isRecorded("always_on", 0, remote(high, false)))
  })

  it("keeps the spans of a trace together", () => {
    const recorded = spanOf("traceidratio", 1, Option.none())
    assert.isTrue(isRecorded("traceidratio", 0, Option.some(recorded)))
    const dropped = spanOf("traceidratio", 0, Option.none())
    assert.isFalse(isRecorded("traceidratio", 1, Option.some(dropped)))
  })
})
