import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Audits } from "@surety/core/ledger/Audits"
import { Overview } from "@surety/core/overview/Overview"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect } from "effect"
import { HtmlValidate } from "html-validate"
import type { BrowserContextOptions, Page } from "playwright-core"
import * as Chromium from "../../consent-page/test/support/Chromium.js"
import * as Scene from "./support/Scene.js"
import { served } from "./support/Served.js"
import { pathOf, recordsIn, stops } from "./support/walking.js"

const browserOfFile = Chromium.browserOfFile()

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: {
    "void-style": "off",
    "long-title": "off",
    // Rows become lines on a phone, where browsers drop a table's roles.
    "no-redundant-role": "off",
    "no-implicit-button-type": "off",
    "prefer-native-element": "off"
  }
})

/** The console on a port of this machine, signed in as an admin, with the addresses of every page of LIVE and one of TEST. */
const opened = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const publicUrl = `http://127.0.0.1:${port}`
  const scene = yield* Scene.make({ byToken: true }, { publicUrl, basePath: "" })
  const records = yield* recordsIn(scene, "LIVE", "Kemi Fabrics")
  const test = yield* recordsIn(scene, "TEST", "Tari Shoes")
  // Something that waits, days that are counted, and books that were checked: the overview shows each.
  yield* scene.run(
    Effect.gen(function* () {
      yield* Scene.applicant
      yield* (yield* Overview).count
      yield* (yield* Audits).run("ngozi.eze")
    })
  )
  yield* served(scene.handler, publicUrl)
  const urls = stops.map(({ name, page }) => ({ name, url: publicUrl + pathOf(page, "LIVE", records.params) }))
  return {
    publicUrl,
    urls: [
      ...urls,
      { name: "overview of TEST", url: `${publicUrl}/console/test/overview` },
      { name: "refund of TEST", url: `${publicUrl}/console/test/refunds/${test.refund.id}` },
      { name: "search", url: `${publicUrl}/console/live/search?q=Kemi` },
      { name: "nothing found", url: `${publicUrl}/console/live/search?q=nothing-like-this` },
      { name: "missing", url: `${publicUrl}/console/live/refunds/none` },
      { name: "sessions", url: `${publicUrl}/console/sessions` }
    ]
  }
})

const signIn = async (page: Page, publicUrl: string): Promise<void> => {
  await page.goto(`${publicUrl}/console/sign-in`)
  await page.fill("#name", "ngozi.eze")
  await page.fill("#token", Scene.tokenOf("ngozi.eze"))
  await page.click("button")
}

type Opened = Effect.Success<typeof opened>

/** Opens each page in one window. */
const onEach = (
  { publicUrl, urls }: Opened,
  use: (page: Page, name: string, html: string) => Promise<void>,
  options: BrowserContextOptions = {},
  only?: ReadonlySet<string>
) =>
  Effect.gen(function* () {
    const browser = yield* browserOfFile
    yield* Chromium.inWindow(
      browser,
      async (page) => {
        await page.goto(`${publicUrl}/console/sign-in`)
        await use(page, "sign-in", await page.content())
        await signIn(page, publicUrl)
        for (const { name, url } of only === undefined ? urls : urls.filter(({ name }) => only.has(name))) {
          const answer = await page.goto(url)
          await use(page, name, (await answer?.text()) ?? "")
        }
      },
      options
    )
  })

/** One page of each make: the others differ in their words alone. */
const samples = new Set([
  "sign-in",
  "overview",
  "refunds/:refundId",
  "merchants/:merchantId/suspend",
  "overview of TEST"
])

/** Where a run keeps pictures to look at; none by default. */
const pictures = process.env.CONSOLE_PICTURES

const looks = [
  [360, "light"],
  [768, "light"],
  [1280, "light"],
  ...(pictures === undefined ? [] : ([[1280, "dark"]] as const))
] as const

describe("Every page of the console", () => {
  it.live("is valid HTML without anything that axe finds, in light and dark, and fits 360 pixels", () =>
    Effect.gen(function* () {
      const site = yield* opened
      const found: Array<string> = []
      for (const colorScheme of ["light", "dark"] as const) {
        yield* onEach(
          site,
          async (page, name, html) => {
            await page.setViewportSize({ width: 360, height: 800 })
            const wide = await page.evaluate(() => document.documentElement.scrollWidth)
            assert.isAtMost(wide, 360, `${name} at 360`)
            await page.setViewportSize({ width: 1280, height: 800 })
            if (colorScheme === "light") {
              const { results } = await validator.validateString(html)
              found.push(
                ...results.flatMap(({ messages }) =>
                  messages.map(({ message, ruleId }) => `${name}: ${ruleId} ${message}`)
                )
              )
            }
            await page.evaluate(axe)
            const violations = await page.evaluate(
              `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html].join(" ")))`
            )
            found.push(
              ...(Array.isArray(violations) ? violations : ["no answer"]).map((one) => `${colorScheme} ${name}: ${one}`)
            )
          },
          { colorScheme, viewport: { width: 1280, height: 800 }, javaScriptEnabled: true, bypassCSP: true },
          colorScheme === "dark" ? samples : undefined
        )
      }
      assert.deepStrictEqual(found, [])
    }).pipe(Effect.scoped)
  )

  it.live("fits 360, 768 and 1280 pixels without scrolling sideways, also without scripts", () =>
    Effect.gen(function* () {
      const site = yield* opened
      for (const [width, colorScheme] of looks) {
        yield* onEach(
          site,
          async (page, name) => {
            const wide = await page.evaluate(() => document.documentElement.scrollWidth)
            assert.isAtMost(wide, width, `${name} at ${width}`)
            if (pictures !== undefined) {
              mkdirSync(pictures, { recursive: true })
              const file = name.replaceAll(/[^\w]+/gu, "-")
              await page.screenshot({ path: `${pictures}/${file}.${width}.${colorScheme}.png` })
            }
          },
          { viewport: { width, height: 800 }, colorScheme },
          pictures === undefined ? samples : undefined
        )
      }
    }).pipe(Effect.scoped)
  )
})
