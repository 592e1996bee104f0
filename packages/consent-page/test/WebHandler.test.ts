import { assert, describe, it } from "@effect/vitest"
import { ConsentPageSettings } from "@surety/consent-page/ConsentPageSettings"
import * as WebHandler from "@surety/consent-page/WebHandler"
import { Effect, Layer, Logger, Tracer } from "effect"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const publicUrl = "https://pay.example/people"

describe("The page alone, in a host's own server", () => {
  it("answers below its base path, with cookies for https and links of its own path", async () => {
    const settings = PageServer.settings(publicUrl, { basePath: "/people" })
    const services = Scene.layerAt(publicUrl).pipe(
      Layer.provideMerge(Layer.succeed(ConsentPageSettings, settings)),
      Layer.provide(Logger.layer([]))
    )
    const { dispose, handle } = WebHandler.make(services)
    const gone = await handle(new Request(`${publicUrl}/consent/unknown`))
    assert.strictEqual(gone.status, 404)
    const text = await gone.text()
    assert.include(text, "This link does not work")
    const style = /href="([^"]+\.css)"/u.exec(text)?.[1] ?? ""
    assert.match(style, /^\/people\/consent-page\/style-[0-9a-f]{12}\.css$/u)
    const sheet = await handle(new Request(new URL(style, publicUrl)))
    assert.deepStrictEqual(
      [sheet.status, sheet.headers.get("content-type"), sheet.headers.get("cache-control")],
      [200, "text/css; charset=utf-8", "public, max-age=31536000, immutable"]
    )
    assert.strictEqual((await handle(new Request(`${publicUrl}/consent-page/other.css`))).status, 404)
    assert.strictEqual((await handle(new Request("https://pay.example/consent/unknown"))).status, 404)
    await dispose()
  })

  it("has no span that holds a link's token, though the services have spans", async () => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const services = Scene.layerAt(publicUrl).pipe(
      Layer.provideMerge(Layer.succeed(ConsentPageSettings, PageServer.settings(publicUrl, { basePath: "/people" }))),
      Layer.provideMerge(Layer.succeed(Tracer.Tracer, tracer)),
      Layer.provide(Logger.layer([]))
    )
    const { dispose, handle } = WebHandler.make(services)
    for (const path of [
      "/consent/a-token",
      "//consent/a-token",
      "/consents/a-token/reads?q=a-token",
      "/nowhere/a-token"
    ]) {
      await handle(new Request(publicUrl + path))
    }
    await dispose()
    assert.isNotEmpty(spans)
    for (const { attributes, name } of spans) assert.notInclude(name + JSON.stringify([...attributes]), "a-token")
  })

  it.live("has its cookies set and read by this very host alone, so that no neighbour's stands in for one", () =>
    Effect.gen(function* () {
      const settings = PageServer.settings(publicUrl, { basePath: "/people" })
      const services = yield* Layer.build(
        Scene.layerAt(publicUrl).pipe(
          Layer.provideMerge(Layer.succeed(ConsentPageSettings, settings)),
          Layer.provide(Logger.layer([]))
        )
      )
      const { dispose, handle } = WebHandler.make(Layer.succeedContext(services))
      const { url } = yield* Effect.provideContext(Scene.asked(), services)
      yield* Effect.promise(async () => {
        const page = await handle(new Request(url))
        const [set = ""] = page.headers.getSetCookie()
        assert.match(set, /^__Host-consent_visit=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/u)
        const guard = /name="guard" value="([^"]+)"/u.exec(await page.text())?.[1] ?? ""
        const send = (cookie: string) =>
          handle(
            new Request(url, {
              method: "POST",
              body: new URLSearchParams({ guard, decision: "deny" }),
              headers: { cookie }
            })
          )
        const [value = ""] = set.split(";")
        assert.strictEqual((await send(value.replace("__Host-", ""))).status, 403)
        assert.strictEqual((await send(value)).status, 303)
        await dispose()
      })
    })
  )
})
