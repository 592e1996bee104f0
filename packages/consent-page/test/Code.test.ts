import { assert, describe, layer } from "@effect/vitest"
import * as Authenticator from "@surety/core/consent/admission/ConsumerAuthenticator"
import * as OneTimeCodes from "@surety/core/consent/admission/OneTimeCodes"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect, Layer, Redacted } from "effect"
import * as Chromium from "./support/Chromium.js"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const browserOfFile = Chromium.browserOfFile()

const sent: Array<OneTimeCodes.CodeMessage> = []
const codes = OneTimeCodes.layer.pipe(
  Layer.provide(
    Layer.succeed(OneTimeCodes.CodeSender, {
      send: (message) =>
        Effect.as(
          Effect.sync(() => sent.push(message)),
          { destination: Redacted.make("+234 8012344567") }
        )
    })
  )
)
const lastCode = (): string => Redacted.value(sent.at(-1)?.code ?? Redacted.make(""))
const wrongCode = (): string => (lastCode() === "000000" ? "000001" : "000000")

const port = await freePort()
const sessionPort = await freePort()

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("A host that demands more than the link", () => {
  layer(PageServer.layer(port, {}, codes), { excludeTestServices: true })((it) => {
    it.effect("shows nothing before the code that it sends was entered, then the request and the consents", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          const answer = await page.goto(asked.url)
          assert.strictEqual(answer?.status(), 401)
          assert.notInclude(await page.content(), "Corner Shop")
          assert.strictEqual(sent.length, 0, "a look sends nothing: programs that preview links look too")
          await page.click("text=Send me a code")
          assert.strictEqual(sent.at(-1)?.person.userId, asked.consumer.userId)
          await page.fill("#code", wrongCode())
          await page.click("text=Continue")
          assert.include(await Chromium.textOf(page, ".error"), "That is not the code that we sent.")
          await page.fill("#code", "12")
          await page.click("text=Continue")
          assert.include(await Chromium.textOf(page, ".error"), "Type the 6 numbers of the code.")
          assert.notInclude(await page.content(), "Corner Shop")
          await page.fill("#code", `${lastCode().slice(0, 3)} ${lastCode().slice(3)}`)
          await page.click("text=Continue")
          assert.include(await Chromium.textOf(page, "h1"), "Corner Shop wants to see")
          assert.strictEqual(page.url(), asked.url)
          await page.check("#field-email")
          await page.click("button[value=approve]")
          await page.click("text=Who can see my details")
          assert.include(await Chromium.textOf(page, ".card"), "Corner Shop")
        })
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          assert.strictEqual(
            await Chromium.textOf(page, "h1"),
            "First, is it you?",
            "another browser has to show it too"
          )
        })
      })
    )

    it.effect("keeps the field while a code is outstanding, and never sends one because the page is loaded again", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          assert.include(await Chromium.textOf(page, "main"), "Still no code? Ask Naira Pay: privacy@nairapay.example")
          const before = sent.length
          for (let times = 1; times <= 5; times++) {
            await Promise.all([page.waitForEvent("load"), page.click("#send")])
            assert.strictEqual(page.url(), asked.url, "a reload sends nothing")
            await page.reload()
            assert.strictEqual(sent.length, before + times)
            assert.isTrue(await page.isVisible("#code"))
          }
          const text = await Chromium.textOf(page, "main")
          assert.match(text, /We sent you many codes. The last one still works. You can ask for a new one at \d/u)
          assert.include(text, "We sent it to •••• 4567.")
          assert.include(text, "Still no code? Ask Naira Pay: privacy@nairapay.example")
          assert.strictEqual(await page.locator("button[value=send]").count(), 0)
          assert.notInclude(await page.content(), "8012344567")
          await page.goto(`${asked.url}/code`)
          await page.fill("#code", wrongCode())
          await page.click("text=Continue")
          assert.isTrue(await page.isVisible("#code"), "also after a wrong one")
          await page.fill("#code", lastCode())
          await page.click("text=Continue")
          assert.include(await Chromium.textOf(page, "h1"), "Corner Shop wants to see", "the last one still works")
        })
      })
    )

    it.effect("sends no sixth code, for any form", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        yield* Effect.promise(async () => {
          const shown = await fetch(asked.url)
          const cookie = shown.headers.getSetCookie()[0]?.split(";")[0] ?? ""
          const guard = /name="guard" value="([^"]+)"/u.exec(await shown.text())?.[1] ?? ""
          const before = sent.length
          for (let times = 0; times < 7; times++) {
            const body = new URLSearchParams({ guard, step: "send" })
            const answer = await fetch(`${asked.url}/code`, {
              method: "POST",
              body,
              headers: { cookie },
              redirect: "manual"
            })
            assert.strictEqual(answer.status, 303)
            assert.strictEqual(answer.headers.get("location"), new URL(asked.url).pathname)
          }
          assert.strictEqual(sent.length, before + 5)
          const page = await (await fetch(asked.url, { headers: { cookie } })).text()
          assert.include(page, 'id="code"')
        })
      })
    )

    it.effect("takes no decision before the code is entered", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        const requests = yield* DataRequests
        const refused = yield* Effect.promise(async () => {
          const shown = await fetch(asked.url)
          const cookie = shown.headers.getSetCookie()[0]?.split(";")[0] ?? ""
          const guard = /name="guard" value="([^"]+)"/u.exec(await shown.text())?.[1] ?? ""
          const send = (cookies: string) =>
            fetch(asked.url, {
              method: "POST",
              body: new URLSearchParams({ guard, decision: "approve", field: "email" }),
              headers: { cookie: cookies },
              redirect: "manual"
            })
          const forged = `consent_proof=9999999999999~k1.${"A".repeat(43)}`
          return [(await send(cookie)).status, (await send(`${cookie}; ${forged}`)).status]
        })
        assert.deepStrictEqual(refused, [401, 401])
        const { id, scope } = asked
        assert.strictEqual((yield* requests.get({ id, scope })).status, "PENDING")
      })
    )

    it.effect("ends the tries of a code, and sends another one", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const asked = yield* Scene.asked()
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(asked.url)
          await page.click("text=Send me a code")
          for (let tried = 0; tried < 5; tried++) {
            await page.fill("#code", wrongCode())
            await page.click("text=Continue")
          }
          assert.include(await Chromium.textOf(page, ".error"), "That code no longer works.")
          await page.click("text=Send me a code")
          await page.fill("#code", lastCode())
          await page.click("text=Continue")
          assert.include(await Chromium.textOf(page, "h1"), "Corner Shop wants to see")
        })
      })
    )
  })

  const session = Authenticator.layerSession(
    ({ headers }) => Effect.succeed(Redacted.value(headers).cookie?.includes("host_session=ada") === true),
    "https://nairapay.example/sign-in"
  )
  layer(PageServer.layer(sessionPort, {}, session), { excludeTestServices: true })((it) => {
    it.effect("admits a visitor with its own session, and shows others where to sign in", () =>
      Effect.gen(function* () {
        const asked = yield* Scene.asked()
        const [without, signedIn] = yield* Effect.promise(async () => [
          await (await fetch(asked.url)).text(),
          await (await fetch(asked.url, { headers: { cookie: "host_session=ada" } })).text()
        ])
        assert.notInclude(without, "Corner Shop")
        assert.include(without, 'href="https://nairapay.example/sign-in"')
        assert.include(signedIn, "Corner Shop")
      })
    )
  })
})
