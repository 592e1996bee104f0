import { assert, describe, it } from "@effect/vitest"
import { ConsentPageSettings } from "@surety/consent-page/ConsentPageSettings"
import * as WebHandler from "@surety/consent-page/WebHandler"
import { Layer, Logger } from "effect"
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
})
