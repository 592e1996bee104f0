import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, it } from "@effect/vitest"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Redacted } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import * as Chromium from "./support/Chromium.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { serverProcess, withDocs } from "./support/ServerProcess.js"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const running = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return yield* serverProcess({
    ...withDocs,
    DATABASE_URL: Redacted.value(url),
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warning"
  })
})

interface Visit {
  readonly page: Page
  /** Requests to other hosts, and errors on the page. */
  readonly faults: ReadonlyArray<string>
}

/** Runs `use` in a window that can reach only the server. Fails if the page has faults. */
const inWindow = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  use: (visit: Visit) => Promise<void>
): Promise<void> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: Array<string> = []
  await page.route("**", (route, request) => {
    if (request.url().startsWith(url)) return route.continue()
    faults.push(request.url())
    return route.abort()
  })
  page.on("pageerror", ({ message }) => faults.push(message))
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()))
  await use({ page, faults })
  assert.deepStrictEqual(faults, [])
  await context.close()
}

/** Accessibility rules whose result may depend on width or colours. Only these run in the dark, narrow window. */
const ofLooks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size", "label"].concat([
  ...["button-name", "link-name", "aria-hidden-focus", "nested-interactive", "skip-link", "list", "region"]
])

const violationsOn = async (page: Page, rules?: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const found: {
    readonly violations: ReadonlyArray<{
      readonly id: string
      readonly nodes: ReadonlyArray<{ readonly target: ReadonlyArray<string> }>
    }>
  } = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) })})`
  )
  return found.violations.map(({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ target }) => target.join(" "))}`)
}

const schemes = [
  { look: { colorScheme: "light", viewport: { width: 1280, height: 900 } }, rules: undefined },
  { look: { colorScheme: "dark", viewport: { width: 360, height: 780 } }, rules: ofLooks }
] as const

it.live.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))(
  "the guides are read, searched and copied in a browser that reaches nothing but the server",
  () =>
    Effect.gen(function* () {
      const { url } = yield* running
      const browser = yield* Chromium.browser
      yield* Effect.promise(async () => {
        for (const { look, rules } of schemes) {
          await inWindow(browser, url, look, async ({ page }) => {
            await page.goto(`${url}/`)
            assert.deepStrictEqual(await violationsOn(page, rules), [])
            await page.getByRole("link", { name: "Guides" }).click()
            await page.waitForURL(`${url}/docs`)
            const links = await page
              .locator("#pages a")
              .evaluateAll((all) => all.map((link) => String(Reflect.get(link, "href"))))
            const pages = links.filter((link) => link.startsWith(`${url}/docs`) && !link.endsWith("/reference"))
            assert.isAtLeast(pages.length, 15)
            for (const link of pages) {
              await page.goto(link)
              assert.deepStrictEqual(await violationsOn(page, rules), [])
              const surplus = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
              assert.strictEqual(surplus, 0, `${link} is wider than ${look.viewport.width}`)
            }
          })
        }

        await inWindow(browser, url, {}, async ({ page }) => {
          await page.goto(`${url}/docs/refunds`)
          await page.keyboard.press("/")
          await page.getByRole("searchbox", { name: "Search" }).fill("amount_precision")
          await page.locator(".found a").first().waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL(`${url}/docs/errors#amount_precision`)
          await page.goto(`${url}/docs/refunds`)
          await page.getByRole("tab", { name: "Python" }).first().click()
          const shown = page.locator(".panel:visible")
          assert.include(String(await shown.first().textContent()), `surety.Client(os.environ["KEY"], "${url}")`)
          await page.getByRole("tab", { name: "Python" }).first().press("ArrowRight")
          assert.include(String(await shown.nth(1).textContent()), "<?php")
          // The chosen programming language also applies to other pages.
          await page.goto(`${url}/docs/consent`)
          assert.include(String(await shown.first().textContent()), "<?php")
          await page.getByRole("button", { name: "Switch between light and dark" }).click()
          assert.strictEqual(await page.evaluate("document.documentElement.dataset.theme"), "dark")
        })

        await inWindow(browser, url, { javaScriptEnabled: false }, async ({ page }) => {
          await page.goto(`${url}/docs/refunds`)
          assert.isAtLeast(await page.locator("#pages a:visible").count(), 15)
          const samples = String(await page.locator(".tabs").first().textContent())
          for (const language of ["curl", "TypeScript", "Python", "PHP", "Go"]) assert.include(samples, language)
          assert.strictEqual(await page.locator("button.copy:visible, [data-search-open]:visible").count(), 0)
        })
      })
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped),
  300_000
)
