import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, layer } from "@effect/vitest"
import { englishCatalog } from "@surety/consent-page/words/Catalog"
import { hausa } from "@surety/consent-page/words/hausa"
import { igbo } from "@surety/consent-page/words/igbo"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { yoruba } from "@surety/consent-page/words/yoruba"
import { freePort } from "@surety/testing/machine/FreePort"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { Effect } from "effect"
import { HtmlValidate } from "html-validate"
import type { BrowserContextOptions, Page, Request } from "playwright-core"
import * as Chromium from "./support/Chromium.js"
import { gradeOf } from "./support/gradeOf.js"
import * as PageServer from "./support/PageServer.js"
import { states } from "./support/States.js"

const notEnglish = ["pidgin", "hausa", "yoruba", "igbo"]

const browserOfFile = Chromium.browserOfFile()

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  rules: { "void-style": "off", "long-title": "off" }
})

/** Runs `use` on each page of `states`, all in one window to save time. Clears the cookies before each page. */
const onEach = <A>(use: (page: Page, name: string) => Promise<A>, options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const browser = yield* browserOfFile
    const all = Object.entries(yield* states)
    return yield* Chromium.inWindow(
      browser,
      async (page, context) => {
        const made: Array<A> = []
        for (const [name, url] of all) {
          await context.clearCookies()
          await page.goto(url)
          made.push(await use(page, name))
        }
        return made
      },
      options
    )
  })

const unfold = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const fold of document.querySelectorAll<HTMLDetailsElement>("details.fold")) fold.open = true
  })

/** Returns axe's violations of all rules, or only of the rules about colour. */
const violationsIn = async (page: Page, name: string, rules: "all" | "colour"): Promise<ReadonlyArray<string>> => {
  const runOnly = rules === "all" ? {} : { runOnly: "cat.color" }
  const violations = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...runOnly })}).then(({ violations }) => violations.map(({ id, impact, nodes }) => [id, impact, nodes[0]?.html].join(" ")))`
  )
  return Array.isArray(violations) ? violations.map((violation) => `${name}: ${violation}`) : [`${name}: no answer`]
}

const overflow = async (page: Page, name: string): Promise<ReadonlyArray<string>> => {
  await unfold(page)
  return page.evaluate(
    ([state]) => {
      const { clientWidth, scrollWidth } = document.documentElement
      return scrollWidth > clientWidth ? [`${state}: ${scrollWidth} wide in ${clientWidth}`] : []
    },
    [name]
  )
}

/**
 * Collects each block of text on the page, even in collapsed sections. Replaces foreign text, such as names, quotes,
 * times and ids, with a short name.
 */
const blocksIn = async (page: Page): Promise<ReadonlyArray<string>> => {
  await unfold(page)
  return page.evaluate(() => {
    const blocks = "h1,h2,p,legend,button,dt,dd,small,summary,label b,.row b,a.button,.chips li,.log li"
    for (const silent of document.querySelectorAll("[aria-hidden=true]")) silent.remove()
    for (const foreign of document.querySelectorAll("bdi,q,time,.mono,select")) foreign.textContent = " Ada "
    for (const broken of document.querySelectorAll("br,summary svg,small")) broken.before(" ")
    return [...document.querySelectorAll<HTMLElement>(blocks)]
      .filter((block) => block.querySelector(blocks) === null)
      .map((block) => block.textContent.replace(/\s+/gu, " ").trim())
      .filter((text) => /[a-z]{2}/iu.test(text))
  })
}

const port = await freePort()

describe.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("Every page", () => {
  layer(PageServer.layer(port, { catalogs: [englishCatalog, nigerianPidgin, hausa, yoruba, igbo] }), {
    excludeTestServices: true
  })((it) => {
    it.effect(
      "has nothing that axe objects to, in the light and in the dark, folds open",
      () =>
        Effect.gen(function* () {
          const found = yield* onEach(
            async (page, name) => {
              await page.emulateMedia({ colorScheme: "light" })
              await unfold(page)
              await page.evaluate(axe)
              const light = await violationsIn(page, `${name}, light`, "all")
              await page.emulateMedia({ colorScheme: "dark" })
              return [...light, ...(await violationsIn(page, `${name}, dark`, "colour"))]
            },
            { colorScheme: "light", javaScriptEnabled: true, bypassCSP: true }
          )
          assert.deepStrictEqual(found.flat(), [])
        }),
      300_000
    )

    it.effect(
      "fits 320 pixels, and twice the text size, without scrolling sideways, in words that a twelve-year-old reads",
      () =>
        Effect.gen(function* () {
          const seen = yield* onEach(
            async (page, name) => {
              await page.setViewportSize({ width: 320, height: 640 })
              const narrow = await overflow(page, name)
              await page.setViewportSize({ width: 375, height: 640 })
              await page.evaluate(() => {
                document.documentElement.style.fontSize = "200%"
              })
              const enlarged = await overflow(page, `${name}, 200 %`)
              const languages = await page.locator("nav .lang li").count()
              return { name, wide: [...narrow, ...enlarged], languages, blocks: await blocksIn(page) }
            },
            { viewport: { width: 320, height: 640 }, javaScriptEnabled: true, bypassCSP: true, locale: "en" }
          )
          for (const { blocks, languages, name, wide } of seen) {
            assert.deepStrictEqual(wide, [])
            assert.strictEqual(languages, 5, `${name} offers every language`)
            if (notEnglish.includes(name)) continue
            assert.isAbove(blocks.length, 3, name)
            assert.isAtMost(gradeOf(blocks), 6, `${name}: ${blocks.join(" | ")}`)
          }
          const hard = [
            "Under the Nigeria Data Protection Act 2023 you may object to its use and have it handed to you."
          ]
          assert.isAbove(gradeOf(hard), 6, "the measure tells hard words")
        }),
      300_000
    )

    it.effect("has the question, three fields and both answers on one small screen", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { ask, once } = yield* states
        const urls = [ask, once, ...["pcm", "ha", "yo", "ig"].map((language) => `${ask}?lang=${language}`)]
        yield* Chromium.inWindow(
          browser,
          async (page, context) => {
            for (const url of urls) {
              await context.clearCookies()
              await page.goto(url)
              const bottomOf = async (selector: string) => {
                const box = await page.locator(selector).last().boundingBox()
                return box === null ? Number.POSITIVE_INFINITY : box.y + box.height
              }
              const bar = (await page.locator(".bar").boundingBox())?.y ?? 0
              assert.strictEqual(await page.locator("input[type=checkbox]").count(), 3)
              assert.isAtMost(await bottomOf("label.row"), bar, "the last field")
              if (!url.includes("lang=")) {
                assert.isAtMost(await bottomOf("button[value=not_me]"), bar + 1, "the way out")
              }
              assert.isAtMost(await bottomOf(".bar button"), 740, "both answers")
              const [yes, no] = await Promise.all(
                ["approve", "deny"].map((value) => page.locator(`button[value=${value}]`).boundingBox())
              )
              assert.deepStrictEqual([yes?.width, yes?.height, yes?.y], [no?.width, no?.height, no?.y])
              for (const target of await page.locator("a:visible, button:visible, label.row, summary, select").all()) {
                const box = await target.boundingBox()
                if (box !== null && box.width > 1) assert.isAtLeast(box.height, 24, (await target.textContent()) ?? "")
              }
            }
          },
          { viewport: { width: 360, height: 740 } }
        )
      })
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
            const note = (request: Request) => void urls.push(request.url())
            page.on("request", note)
            // Without scripts, a loaded page makes no further requests.
            await page.reload({ waitUntil: "load" })
            page.off("request", note)
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
            await unfold(page)
            const heading = await Chromium.textOf(page, "h1")
            assert.include(heading, "</bdi></h1><script>")
            assert.include(heading, "… wants to see your details")
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

    it.effect("keeps what was ticked and chosen when the language changes, and decides nothing", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { ask } = yield* states
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(ask)
          await page.check("#field-email")
          await page.selectOption("#duration", "30")
          await page.click("summary:has-text('Language')")
          await page.click("button[name=lang][value=pcm]")
          assert.strictEqual(await page.getAttribute("html", "lang"), "pcm")
          assert.isTrue(await page.isChecked("#field-email"))
          assert.isFalse(await page.isChecked("#field-display_name"))
          assert.strictEqual(await page.inputValue("#duration"), "30")
          await page.click("summary:has-text('Language')")
          await page.click("button[name=lang][value=en]")
          assert.isTrue(await page.isChecked("#field-email"))
          await page.click("button[value=approve]")
          assert.include(await Chromium.textOf(page, "h1"), "Done. You said yes.")
        })
      })
    )

    it.effect("speaks the language that was chosen, all of it", () =>
      Effect.gen(function* () {
        const browser = yield* browserOfFile
        const { ask } = yield* states
        yield* Chromium.inWindow(browser, async (page) => {
          await page.goto(ask)
          await page.click("summary:has-text('Language')")
          await page.click("text=Naijá (Pidgin)")
          assert.strictEqual(await page.getAttribute("html", "lang"), "pcm")
          assert.strictEqual(await Chromium.textOf(page, "button[value=approve]"), "Yes, share am only wetin I mark")
          assert.strictEqual(await page.locator("main [lang=en]").count(), 0, "one language on a page")
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
