import { assert, describe, it } from "@effect/vitest"
import * as ConsentPage from "@surety/consent-page/ConsentPage"
import { ConsentPageSettings } from "@surety/consent-page/ConsentPageSettings"
import { paths } from "@surety/consent-page/route/paths"
import * as WebHandler from "@surety/consent-page/WebHandler"
import { spellingsOf } from "@surety/testing/hostile/spellings"
import { Effect, Layer, Logger, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const publicUrl = "https://pay.example/people"

/** True if a `Request` leaves the path unchanged. */
const survives = (spelling: string): boolean => {
  if (!spelling.startsWith("/")) return false
  const { hash, pathname } = new URL(`https://pay.example${spelling}`)
  return hash === "" && pathname === spelling
}

describe("A page's path", () => {
  it.live("has one spelling, in the page's own router and in a host's that is lenient", () =>
    Effect.gen(function* () {
      const settings = PageServer.settings(publicUrl, { basePath: "/people" })
      const services = yield* Layer.build(
        Scene.layerAt(publicUrl).pipe(
          Layer.provideMerge(Layer.succeed(ConsentPageSettings, settings)),
          Layer.provide(Logger.layer([]))
        )
      )
      const { token } = yield* Effect.provideContext(Scene.asked(), services)
      const page = WebHandler.make(Layer.succeedContext(services))
      const host = HttpRouter.toWebHandler(Layer.provideMerge(ConsentPage.layer, Layer.succeedContext(services)), {
        disableLogger: true
      })
      yield* Effect.promise(async () => {
        const handlers = [page.handle, (request: Request) => host.handler(request)]
        for (const template of Object.values(paths)) {
          const path = `/people${template.replace(":token", Redacted.value(token)).replace(/:\w+/gu, "x_1")}`
          for (const spelling of spellingsOf(path).filter(survives)) {
            for (const handle of handlers) {
              const answer = await handle(new Request(`https://pay.example${spelling}`))
              assert.deepStrictEqual([spelling, answer.status, await answer.text()], [spelling, 404, ""])
            }
          }
        }
        const asked = `${publicUrl}/consent/${Redacted.value(token)}`
        for (const handle of handlers) assert.strictEqual((await handle(new Request(asked))).status, 200)
        const upper = await page.handle(new Request(asked.replace("/consent/", "/Consent/")))
        assert.deepStrictEqual([upper.status, upper.headers.get("x-content-type-options")], [404, "nosniff"])
        await page.dispose()
        await host.dispose()
      })
    })
  )
})
