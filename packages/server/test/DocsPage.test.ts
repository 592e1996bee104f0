import { assert, it } from "@effect/vitest"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import * as Chromium from "./support/Chromium.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { serverProcess, withDocs } from "./support/ServerProcess.js"

const running = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return yield* serverProcess({
    ...withDocs,
    DATABASE_URL: Redacted.value(url),
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warning"
  })
})

it.live.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))(
  "/docs/reference shows the interface in a browser that reaches nothing but the server",
  () =>
    Effect.gen(function* () {
      const server = yield* running
      const page = yield* Effect.flatMap(Chromium.browser, (opened) => Effect.promise(() => opened.newPage()))
      yield* Effect.promise(async () => {
        const elsewhere: Array<string> = []
        const faults: Array<string> = []
        await page.route("**", (route, request) => {
          if (request.url().startsWith(server.url) || /^(data|blob):/.test(request.url())) return route.continue()
          elsewhere.push(request.url())
          return route.abort()
        })
        page.on("pageerror", ({ message }) => faults.push(message))
        await page.goto(`${server.url}/docs/reference`)
        await page.getByRole("heading", { name: "Merchant Identity, Verification and Wallet Refund Service" }).waitFor()
        await page.getByText("Refunds", { exact: true }).first().click()
        await page.getByText("Refund a payment").first().waitFor()
        assert.deepStrictEqual({ elsewhere, faults }, { elsewhere: [], faults: [] })
      })
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
  300_000
)
