import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, Tracer } from "effect"
import { personal } from "../KycProviderLaws.js"
import { ended, type PlayedVendor, shop, start, submit, world } from "./VendorScene.js"
import type { ScriptedReply } from "./VendorServer.js"

/**
 * Returns the responses of a careless vendor: one in JSON and one in HTML for each of several statuses. Each echoes
 * `id` and a last name.
 */
const echoes = (id: string): ReadonlyArray<ScriptedReply> =>
  [200, 302, 400, 401, 402, 404, 409, 422, 429, 500, 503].flatMap((status) => [
    {
      reply: { status, body: { status: false, message: `${id} ${personal.lastName}`, code: id, data: { id } } },
      isDone: false
    },
    { reply: { status, body: `<p>${id} ${personal.lastName}</p>`, headers: { "x-number": id } }, isDone: false }
  ])

/** Runs `body`. Returns the number of calls to the vendor, and all logs and spans as one string. */
const recorded = Effect.fnUntraced(function* <A, E, R>(body: Effect.Effect<A, E, R>) {
  const said: Array<unknown> = []
  const spans: Array<Tracer.NativeSpan> = []
  const logger = Logger.make((entry) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(entry.message) ? entry.message : [entry.message]
    said.push(parts.map(String), Cause.pretty(entry.cause), Logger.formatJson.log(entry))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  yield* body.pipe(Effect.provide(Logger.layer([logger])), Effect.withTracer(tracer))
  const traced = spans.map(({ attributes, events, name, status }) => [
    name,
    [...attributes],
    events.map(([event, , about]) => [event, about]),
    status._tag === "Ended" && status.exit._tag === "Failure" ? Cause.pretty(status.exit.cause) : ""
  ])
  return { calls: spans.filter(({ name }) => name === "VendorHttp.call").length, text: JSON.stringify([said, traced]) }
})

/**
 * Registers a test for leaks. No log, span or stored verification may contain the number, the person's details or the
 * credentials. In turn, the vendor echoes the number and the last name, responds normally, and cuts a connection.
 */
export const suite = (adapter: string, { adapter: layer, credentials, make, verified }: PlayedVendor): void =>
  it.live(
    `${adapter}: tells no log, span or record of the number, the person or the credentials`,
    () =>
      Effect.gen(function* () {
        const vendor = make()
        const { calls, text } = yield* recorded(
          Effect.gen(function* () {
            const process = yield* start(layer(yield* vendor.listen))
            const answers = [...echoes(verified.id), undefined, { reply: "cut", isDone: true }] as const
            for (const [index, answer] of answers.entries()) {
              if (answer !== undefined) yield* vendor.script(answer)
              yield* Effect.exit(submit(process, yield* shop, `canary-${index}`, verified))
            }
            const stored = JSON.stringify(yield* ended)
            for (const secret of [verified.id, ...Object.values(personal), ...credentials]) {
              assert.notInclude(stored, secret)
            }
          }).pipe(Effect.scoped)
        )
        assert.isAtLeast(calls, 20, "the calls were traced")
        for (const secret of [verified.id, ...Object.values(personal), ...credentials]) assert.notInclude(text, secret)
      }).pipe(Effect.provide(Layer.fresh(world)), Effect.scoped),
    60_000
  )
