import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Audits } from "@surety/core/ledger/Audits"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Overview } from "@surety/core/overview/Overview"
import { freePort } from "@surety/testing/machine/FreePort"
import { Effect } from "effect"
import { HtmlValidate } from "html-validate"
import type { Page } from "playwright-core"
import * as Chromium from "../../consent-page/test/support/Chromium.js"
import * as Scene from "./support/Scene.js"
import { served } from "./support/Served.js"
import { visitor } from "./support/Visitor.js"
import { pathOf, recordsIn, stops } from "./support/walking.js"

const browserOfFile = Chromium.browserOfFile()

const height = 800

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: {
    "void-style": "off",
    "long-title": "off",
    // On a phone, tables get `display: block`. Browsers then drop their roles unless the markup states them.
    "no-redundant-role": "off",
    "no-implicit-button-type": "off",
    "prefer-native-element": "off"
  }
})

/**
 * Serves the console on a local port. Returns the urls of every LIVE page, two TEST pages, two searches, a missing
 * record and the operator's sessions.
 */
const opened = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const publicUrl = `http://127.0.0.1:${port}`
  const scene = yield* Scene.make({ byToken: true }, { publicUrl, basePath: "" })
  const records = yield* recordsIn(scene, "LIVE", "Kemi Fabrics")
  const test = yield* recordsIn(scene, "TEST", "Tari Shoes")
  const { applicant, suspended } = yield* scene.run(
    Effect.gen(function* () {
      for (const name of ["Bola Electronics", "Chidi & Sons", "Uyo Market", "Lekki Garden Supplies"]) {
        yield* Scene.seed("LIVE", name)
      }
      const books = yield* Scene.seed("LIVE", "Naija Books")
      yield* (yield* DataRequests).create(books.scope, IdempotencyKey.make("to-bring"), {
        serviceId: books.consumer.serviceId,
        requestedFields: [IdentityField.make("email")],
        purpose: "To send you what you ordered"
      })
      const { id: applicant } = yield* Scene.applicantCalled("Abuja Bakery")
      const { merchant } = yield* Scene.seed("LIVE", "Kano Leather")
      const suspension = {
        to: "SUSPENDED",
        actor: "support",
        reason: "Its LIVE key was in a public repository."
      } as const
      yield* (yield* Merchants).changeStatus(merchant.id, suspension)
      yield* (yield* Overview).count
      yield* (yield* Audits).run("ngozi.eze")
      return { applicant, suspended: merchant.id }
    })
  )
  yield* served(scene.handler, publicUrl)
  const paramsOf = (name: string) => ({
    ...records.params,
    ...(name.endsWith("/review") ? { merchantId: applicant } : {}),
    ...(name.endsWith("/activate") ? { merchantId: suspended } : {})
  })
  const visits = []
  for (const { name, page, prepare } of stops.filter(({ page: { path } }) => path !== "search")) {
    // A comma in the name marks a page in another state. Such a page gets its own records, since `prepare` would also
    // change other pages.
    const isAgain = name.includes(",")
    const own = isAgain ? yield* recordsIn(scene, "LIVE", "Tari Shoes") : records
    if (isAgain) yield* prepare(own, visitor(scene.handler))
    const params = isAgain ? own.params : paramsOf(name)
    visits.push({ name, url: publicUrl + pathOf(page, "LIVE", params) })
  }
  return {
    publicUrl,
    urls: [
      ...visits,
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

/** Reveals the person's details, which then appear in the page's fields. */
const lookAt = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await page.fill("main textarea", "Asked for on the phone")
  await page.click("main form button")
}

/** Numbers of the parts into which the pages are divided, one test per part. */
const parts = [1, 2, 3, 4, 5, 6, 7, 8] as const

const onEach = (part: number, use: (page: Page, name: string, html: string) => Promise<void>) =>
  Effect.gen(function* () {
    const { publicUrl, urls } = yield* opened
    const browser = yield* browserOfFile
    yield* Chromium.inWindow(
      browser,
      async (page) => {
        await page.goto(`${publicUrl}/console/sign-in`)
        if (part === 1) await use(page, "sign-in", await page.content())
        await signIn(page, publicUrl)
        for (const { name, url } of urls.filter((_, index) => index % parts.length === part - 1)) {
          if (name === "people/:consumerId/correct") await lookAt(page, url)
          const answer = await page.goto(url)
          await use(page, name, (await answer?.text()) ?? "")
        }
      },
      { viewport: { width: 1280, height }, javaScriptEnabled: true, bypassCSP: true, reducedMotion: "reduce" }
    )
  }).pipe(Effect.scoped)

const axeFinds = async (page: Page, only?: "color-contrast"): Promise<ReadonlyArray<unknown>> => {
  const options = only === undefined ? "" : `{ runOnly: ["${only}"] }`
  const found = await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html].join(" ")))`
  )
  return Array.isArray(found) ? found : ["no answer"]
}

/** Window widths in pixels, from a phone to a 4K screen. */
const widths = [360, 768, 1280, 3840] as const

const keyboardFaults = (): ReadonlyArray<string> => {
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  return all.flatMap((element) => {
    // Content of a collapsed section is reachable once it is opened.
    if (!(element instanceof HTMLElement) || !element.checkVisibility()) return []
    if (element.tabIndex < 0) return [`not reached: ${element.outerHTML.slice(0, 120)}`]
    element.focus()
    const frame = element.closest("label") ?? element
    const rings = [element, frame].map((one) => getComputedStyle(one))
    const isSeen = rings.some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && outlineWidth !== "0px")
    return document.activeElement === element && isSeen ? [] : [`no focus: ${element.outerHTML.slice(0, 120)}`]
  })
}

/** Returns the labels of tables that are wider than their panel and cannot be scrolled in it. */
const cutTables = (): ReadonlyArray<string> =>
  [...document.querySelectorAll("main table")].flatMap((table) => {
    const panel = table.closest("section.panel")
    const isScrolled = table.closest(".scroll") !== null
    return panel === null || isScrolled || table.scrollWidth <= panel.clientWidth + 1
      ? []
      : [`“${table.getAttribute("aria-label")}”`]
  })

const paperFaults = (): ReadonlyArray<string> => {
  const isShown = (element: Element) => element.checkVisibility()
  const fields = "main button, main input:not([type=hidden]), main select, main textarea"
  // The environment switch is exempt, because the environment must also appear on paper.
  const pressed = [...document.querySelectorAll(`${fields}, nav:not(.env) a`)]
  return [
    ...(document.querySelector("h1")?.checkVisibility() === true ? [] : ["no title"]),
    ...pressed.filter(isShown).map((element) => `on paper: ${element.outerHTML.slice(0, 120)}`)
  ]
}

/** Directory for screenshots of every page. Unset by default. */
const pictures = process.env.CONSOLE_PICTURES

/** Saves a screenshot of the window as WebP, if `pictures` is set. A second browser page converts the image. */
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

/** Lists the HTML validation errors, axe's findings in light colours, and its contrast findings in dark colours. */
const readingFaults = async (page: Page, html: string): Promise<ReadonlyArray<unknown>> => {
  const { results } = await validator.validateString(html)
  const invalid = results.flatMap(({ messages }) => messages.map(({ message, ruleId }) => `${ruleId} ${message}`))
  await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: "light" })
  const light = await axeFinds(page)
  await page.emulateMedia({ colorScheme: "dark" })
  const dark = await axeFinds(page, "color-contrast")
  return [...invalid, ...light, ...dark.map((one) => `dark: ${one}`)]
}

/**
 * Lists faults of a page at each window width, in print and in keyboard use. Also saves screenshots, if `pictures` is
 * set.
 */
const usingFaults = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  await picture(page, name, 1280, "dark")
  await page.emulateMedia({ colorScheme: "light" })
  for (const width of widths) {
    await page.setViewportSize({ width, height })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    if (wide > width) faults.push(`${wide} wide at ${width}`)
    faults.push(...(await page.evaluate(cutTables)).map((label) => `the table ${label} is cut off at ${width}`))
    if (width < 3840) await picture(page, name, width, "light")
  }
  await page.setViewportSize({ width: 1280, height })
  await page.emulateMedia({ media: "print" })
  faults.push(...(await page.evaluate(paperFaults)))
  await page.emulateMedia({ media: "screen" })
  await page.keyboard.press("Tab")
  const first = await page.evaluate(() => document.activeElement?.className)
  if (first?.includes("skip") !== true) faults.push(`does not begin with the way to its content: ${first}`)
  faults.push(...(await page.evaluate(keyboardFaults)))
  return faults
}

describe("Every page of the console", () => {
  it.live.each(parts)(
    "is AA in light and dark, fits a phone and 4k, is used by keyboard alone, and is printed (part %i)",
    (part) =>
      Effect.gen(function* () {
        const found: Array<string> = []
        yield* onEach(part, async (page, name, html) => {
          const faults = [...(await readingFaults(page, html)), ...(await usingFaults(page, name))]
          found.push(...faults.map((fault) => `${name}: ${fault}`))
        })
        assert.deepStrictEqual(found, [])
      })
  )
})
