import { assert, describe, it } from "@effect/vitest"
import * as Console from "@surety/console/Console"
import { Effect, Layer, Logger, Tracer } from "effect"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
import { liftBlock, reason, recordsIn } from "./support/walking.js"

const path = "/console/live/consents/links"

const link = /\/consent\/[\w-]{20,}/u

describe("A request’s span", () => {
  it.live("tells nothing of what an operator searches for", () =>
    Effect.gen(function* () {
      const { context } = yield* Scene.make()
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const { dispose, handle } = Console.webHandler(
        Layer.mergeAll(
          Scene.settings(),
          Layer.succeedContext(context),
          Layer.succeed(Tracer.Tracer, tracer),
          Logger.layer([])
        )
      )
      const browser = visitor(handle)
      yield* Effect.promise(async () => {
        await browser.signIn("support")
        assert.strictEqual((await browser.get("/console/live/search?q=ada.obi@example.com")).status, 200)
        await dispose()
      })
      assert.isNotEmpty(spans, "the services have spans")
      const told = JSON.stringify(spans.map(({ attributes, name }) => [name, [...attributes]]))
      assert.notInclude(told, "ada.obi")
      assert.notInclude(told, "search?")
    }).pipe(Effect.scoped)
  )
})

describe("A link that decides for a person", () => {
  it.live("is shown once its operator has said why, to that session alone", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const records = yield* recordsIn(scene, "LIVE")
      yield* scene.run(liftBlock(records))
      const browser = visitor(scene.handler)
      const other = visitor(scene.handler)
      yield* Effect.promise(async () => {
        await browser.signIn("support")
        await other.signIn("support")
        const [form] = formsIn(path, (await browser.get(path)).text).filter(({ fields }) => fields.form === "show")
        assert.notMatch((await browser.get(path)).text, link)
        await browser.post(path, { ...form?.fields, request: records.params.requestId, reason })
        assert.match((await browser.get(path)).text, link)
        assert.notMatch((await other.get(path)).text, link)
        assert.notMatch((await browser.get(path.replace("live", "test"))).text, link)
      })
    }).pipe(Effect.scoped)
  )
})
