import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
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
      for (const name of ["Bola Electronics", "Naija Books", "Chidi & Sons", "Uyo Market", "Lekki Garden Supplies"]) {
        yield* Scene.seed("LIVE", name)
      }
      yield* Scene.applicantCalled("Abuja Bakery")
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

/** Opens each page in one window. */
const onEach = (
  use: (page: Page, name: string, html: string) => Promise<void>,
  options: BrowserContextOptions = {},
  only?: ReadonlySet<string>
) =>
  Effect.gen(function* () {
    const { publicUrl, urls } = yield* opened
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
  }).pipe(Effect.scoped)

/** What axe finds: everything, or contrast alone. */
const axeFinds = async (page: Page, only?: "color-contrast"): Promise<ReadonlyArray<unknown>> => {
  const options = only === undefined ? "" : `{ runOnly: ["${only}"] }`
  const found = await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html].join(" ")))`
  )
  return Array.isArray(found) ? found : ["no answer"]
}

/** From a phone to a screen of 4k. */
const widths = [360, 768, 1280, 3840] as const

/** Faults of a page for someone with a keyboard alone: what cannot be reached, or does not show that it has the focus. */
const keyboardFaults = (): ReadonlyArray<string> => {
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  return all.flatMap((element) => {
    if (!(element instanceof HTMLElement) || element.getClientRects().length === 0) return []
    if (element.tabIndex < 0) return [`not reached: ${element.outerHTML.slice(0, 120)}`]
    element.focus()
    const frame = element.closest("label") ?? element
    const rings = [element, frame].map((one) => getComputedStyle(one))
    const isSeen = rings.some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && outlineWidth !== "0px")
    return document.activeElement === element && isSeen ? [] : [`no focus: ${element.outerHTML.slice(0, 120)}`]
  })
}

/** Faults of a page on paper: what it says is there, and nothing that is pressed. */
const paperFaults = (): ReadonlyArray<string> => {
  const isShown = (element: Element) => element.getClientRects().length > 0
  const pressed = [...document.querySelectorAll("main button, main input:not([type=hidden]), main select, nav a")]
  return [
    ...(document.querySelector("h1")?.getClientRects().length === 0 ? ["no title"] : []),
    ...pressed.filter(isShown).map((element) => `on paper: ${element.outerHTML.slice(0, 120)}`)
  ]
}

/** Where a run keeps pictures of every page to look at; none by default. */
const pictures = process.env.CONSOLE_PICTURES

/** Writes what the window shows as WebP, which another page makes of it: the console's own may run no script. */
const picture = async (page: Page, name: string, width: number, colours: "light" | "dark"): Promise<void> => {
  if (pictures === undefined) return
  const png = (await page.screenshot()).toString("base64")
  const [, converter = await page.context().newPage()] = page.context().pages()
  const webp = await converter.evaluate(async (data) => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height })
    canvas.getContext("2d")?.drawImage(image, 0, 0)
    return canvas.toDataURL("image/webp", 0.82).split(",")[1] ?? ""
  }, png)
  mkdirSync(pictures, { recursive: true })
  const file = name.replaceAll(/[^\w]+/gu, "-").replace(/-$/u, "")
  writeFileSync(`${pictures}/${file}.${width}.${colours}.webp`, Buffer.from(webp, "base64"))
}

const height = 800

describe("Every page of the console", () => {
  it.live("is valid HTML without anything that axe finds, in light and dark", () =>
    Effect.gen(function* () {
      const found: Array<string> = []
      yield* onEach(
        async (page, name, html) => {
          const { results } = await validator.validateString(html)
          found.push(
            ...results.flatMap(({ messages }) => messages.map(({ message, ruleId }) => `${name}: ${ruleId} ${message}`))
          )
          await page.evaluate(axe)
          await page.emulateMedia({ colorScheme: "light" })
          found.push(...(await axeFinds(page)).map((one) => `light ${name}: ${one}`))
          await page.emulateMedia({ colorScheme: "dark" })
          found.push(...(await axeFinds(page, "color-contrast")).map((one) => `dark ${name}: ${one}`))
        },
        { viewport: { width: 1280, height }, javaScriptEnabled: true, bypassCSP: true, reducedMotion: "reduce" }
      )
      assert.deepStrictEqual(found, [])
    })
  )

  it.live("fits a phone and 4k without scrolling sideways, is used by keyboard alone, and is printed", () =>
    Effect.gen(function* () {
      const found: Array<string> = []
      yield* onEach(
        async (page, name) => {
          for (const width of widths) {
            await page.setViewportSize({ width, height })
            const wide = await page.evaluate(() => document.documentElement.scrollWidth)
            if (wide > width) found.push(`${name} is ${wide} wide at ${width}`)
            if (width < 3840) await picture(page, name, width, "light")
          }
          await page.setViewportSize({ width: 1280, height })
          if (pictures !== undefined) {
            await page.emulateMedia({ colorScheme: "dark" })
            await picture(page, name, 1280, "dark")
            await page.emulateMedia({ colorScheme: "light" })
          }
          await page.emulateMedia({ media: "print" })
          found.push(...(await page.evaluate(paperFaults)).map((fault) => `${name}: ${fault}`))
          await page.emulateMedia({ media: "screen" })
          await page.keyboard.press("Tab")
          const first = await page.evaluate(() => document.activeElement?.className)
          // A page that has an error begins there.
          if (first?.includes("skip") !== true)
            found.push(`${name} does not begin with the way to its content: ${first}`)
          found.push(...(await page.evaluate(keyboardFaults)).map((fault) => `${name}: ${fault}`))
        },
        { viewport: { width: 1280, height }, javaScriptEnabled: true, bypassCSP: true, reducedMotion: "reduce" }
      )
      assert.deepStrictEqual(found, [])
    })
  )
})
