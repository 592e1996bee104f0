import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, layer } from "@effect/vitest"
import { englishCatalog } from "@surety/consent-page/words/Catalog"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect, Redacted } from "effect"
import { HtmlValidate } from "html-validate"
import type { BrowserContextOptions, Page } from "playwright-core"
import * as Chromium from "./support/Chromium.js"
import * as PageServer from "./support/PageServer.js"
import * as Scene from "./support/Scene.js"

const browserOfFile = Chromium.browserOfFile()

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: { "void-style": "off", "long-title": "off" }
})

const hostile = {
  name: `</bdi></h1><script>document.title='owned'</script>\u202Edekcah\u2066 ${"Ltd ".repeat(60)}`,
  legalName: `مؤسسة\u200F الزاوية ${"\u0301".repeat(200)}${"W".repeat(300)}`,
  websiteUrl: "https://аpple.example/\u202E",
  supportEmail: "help@corner.example"
}

/** The page in each of its states, for whatever is to be seen of all of them. */
const states = Effect.gen(function* () {
  const person = yield* PersonConsents
  const manageOf = (url: string, token: Redacted.Redacted<string>) =>
    Effect.map(person.managementToken(token), (own) =>
      url.replace(/\/consent\/.*$/u, `/consents/${Redacted.value(own)}`)
    )
  const pending = yield* Scene.asked()
  const attacked = yield* Scene.asked({ merchant: hostile, purpose: `<img src=x onerror=alert(1)>${"x".repeat(400)}` })
  const decided = yield* Scene.asked({ merchant: { name: "متجر الزاوية", legalName: "شركة متجر الزاوية" } })
  yield* Scene.approveBy(decided.token, { fields: ["email"], notice: Scene.notice })
  const managed = yield* manageOf(decided.url, decided.token)
  const { data } = yield* person.receipts(yield* person.open(yield* person.managementToken(decided.token)), Scene.page)
  return {
    ask: pending.url,
    pidgin: `${pending.url}?lang=pcm`,
    attacked: attacked.url,
    decided: decided.url,
    manage: managed,
    reads: `${managed}/reads`,
    rights: `${managed}/rights`,
    rightsAsked: `${managed}/rights?asked=EXPORT`,
    receipts: `${managed}/receipts`,
    receipt: `${managed}/receipts/${data[0]?.id}`,
    gone: `${pending.url}x`
  }
})

const onEach = <A>(use: (page: Page, name: string) => Promise<A>, options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const browser = yield* browserOfFile
    const all = Object.entries(yield* states)
    return yield* Effect.forEach(all, ([name, url]) =>
      Chromium.inWindow(
        browser,
        async (page) => {
          await page.goto(url)
          return use(page, name)
        },
        options
      )
    )
  })

const seriousIn = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const violations = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html].join(" ")))`
  )
  return Array.isArray(violations) ? violations.map((violation) => `${name}: ${violation}`) : [`${name}: no answer`]
}

const overflow = (page: Page, name: string): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    ([state]) => {
      const { clientWidth, scrollWidth } = document.documentElement
      return scrollWidth > clientWidth ? [`${state}: ${scrollWidth} wide in ${clientWidth}`] : []
    },
    [name]
  )

const port = await freePort()

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("Every page", () => {
  layer(PageServer.layer(port, { catalogs: [englishCatalog, nigerianPidgin] }), { excludeTestServices: true })((it) => {
    for (const colorScheme of ["light", "dark"] as const) {
      it.effect(
        `has nothing that axe objects to, in the ${colorScheme}`,
        () =>
          Effect.gen(function* () {
            const options = { colorScheme, javaScriptEnabled: true, bypassCSP: true }
            assert.deepStrictEqual((yield* onEach(seriousIn, options)).flat(), [])
          }),
        300_000
      )
    }

    it.effect(
      "fits 320 pixels, and twice the text size, without scrolling sideways",
      () =>
        Effect.gen(function* () {
          const narrow = { viewport: { width: 320, height: 640 }, javaScriptEnabled: true }
          assert.deepStrictEqual((yield* onEach(overflow, narrow)).flat(), [])
          // A browser's zoom of 200 % halves the pixels that there are and doubles each.
          const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, javaScriptEnabled: true }
          assert.deepStrictEqual((yield* onEach(overflow, zoomed)).flat(), [])
          const enlarged = yield* onEach(
            async (page, name) => {
              await page.evaluate(() => {
                document.documentElement.style.fontSize = "200%"
              })
              return overflow(page, name)
            },
            { ...narrow, viewport: { width: 375, height: 640 }, bypassCSP: true }
          )
          assert.deepStrictEqual(enlarged.flat(), [])
        }),
      300_000
    )

    it.effect(
      "is valid HTML",
      () =>
        Effect.gen(function* () {
          const pages = yield* Effect.forEach(Object.entries(yield* states), ([name, url]) =>
            Effect.promise(async () => ({ name, html: await (await fetch(url)).text() }))
          )
          for (const { html, name } of pages) {
            const { results } = yield* Effect.promise(() => validator.validateString(html))
            const found = results.flatMap(({ messages }) =>
              messages.map(({ line, message, ruleId }) => `${name}:${line} ${ruleId} ${message}`)
            )
            assert.deepStrictEqual(found, [])
          }
        }),
      180_000
    )

    it.effect(
      "weighs less than 30 KB with all that it loads, and loads from nowhere else",
      () =>
        Effect.gen(function* () {
          const weights = yield* onEach(async (page, name) => {
            const urls: Array<string> = []
            page.on("request", (request) => void urls.push(request.url()))
            await page.reload({ waitUntil: "networkidle" })
            const loaded = await Promise.all(
              urls.map(async (url) => ({ url, bytes: (await (await fetch(url)).arrayBuffer()).byteLength }))
            )
            const elsewhere = loaded.filter(({ url }) => !url.startsWith(`http://127.0.0.1:${port}/`))
            return {
              name,
              elsewhere,
              bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0),
              requests: loaded.length
            }
          })
          for (const { bytes, elsewhere, name, requests } of weights) {
            assert.deepStrictEqual(elsewhere, [], name)
            assert.isAtLeast(requests, 2, `${name}: the page and its style`)
            assert.isBelow(bytes, 30_000, name)
            assert.isAbove(bytes, 5_000, name)
          }
        }),
      180_000
    )

    it.effect("shows a hostile name as text, kept apart, clipped and without what it hides", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { attacked } = yield* states
        yield* Chromium.inWindow(
          browser,
          async (page) => {
            const dialogs: Array<string> = []
            page.on("dialog", (dialog) => void dialogs.push(dialog.message()))
            await page.goto(attacked)
            const heading = await Chromium.textOf(page, "h1")
            assert.include(heading, "</bdi></h1><script>")
            assert.include(heading, "… wants to see some of your details")
            assert.isBelow(heading.length, 130)
            assert.notMatch(await page.content(), /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/u)
            assert.notMatch(await page.content(), /\u0301{5}/u)
            assert.strictEqual(await page.locator("main script, main img").count(), 0)
            assert.include(await Chromium.textOf(page, "main"), "xn--", "look-alike letters of a website are spelt out")
            assert.deepStrictEqual(dialogs, [])
          },
          { javaScriptEnabled: true }
        )
      })
    )

    it.effect("speaks the language that was chosen, and English where that has no word yet, marked as such", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { ask } = yield* states
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(ask)
          await page.click("text=Naijá (Pidgin)")
          assert.strictEqual(await page.getAttribute("html", "lang"), "pcm")
          assert.strictEqual(await Chromium.textOf(page, "button[value=approve]"), "Share wetin I mark")
          assert.strictEqual(await page.locator("h2:has-text('Your rights') span[lang=en]").count(), 1)
          await page.click("button[value=approve]")
          assert.include(await Chromium.textOf(page, ".error"), "Mark at least one", "the language stays")
        })
        yield* Chromium.inWindow(
          browser,
          async (page) => {
            await page.goto(ask)
            assert.strictEqual(await page.getAttribute("html", "lang"), "pcm", "as the browser's user prefers")
          },
          { locale: "pcm" }
        )
      })
    )
  })
})
