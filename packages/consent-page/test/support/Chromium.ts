import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { Effect } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll } from "vitest"

/** V8 flags. Each page runs its scripts once, so optimising them would take longer than running them. */
const scripts = "--no-opt --no-maglev --single-threaded"

/**
 * Returns the browser of a test file, launched by the first test that needs it and closed after the last. Call this
 * once per file. By default, `findShell` chooses the browser. Pass `MachineChromium.find` for the full browser.
 */
export const browserOfFile = (find = MachineChromium.findShell): Effect.Effect<Browser> => {
  let launched: Promise<Browser> | undefined
  afterAll(async () => (await launched)?.close())
  return Effect.promise(() => {
    launched ??= chromium.launch({
      executablePath: find(process.env),
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-quic", `--js-flags=${scripts}`]
    })
    return launched
  })
}

/** Runs `use` in a private window, which shares nothing with others. Scripts are off by default. */
export const inWindow = <A>(
  opened: Browser,
  use: (page: Page, context: BrowserContext) => Promise<A>,
  options: BrowserContextOptions = {}
): Effect.Effect<A> =>
  Effect.acquireUseRelease(
    Effect.promise(() =>
      opened.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 }, ...options })
    ),
    (context) => Effect.promise(async () => use(await context.newPage(), context)),
    (context) => Effect.promise(() => context.close())
  )

export const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join(" ").replace(/\s+/gu, " ").trim()
