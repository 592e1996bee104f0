import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { Effect } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const executable = MachineChromium.findOrSay(process.env)

/** Whether there is a browser to test in. */
export const isThere = executable !== undefined

/** A browser that is closed with the scope. */
export const browser: Effect.Effect<Browser, never, import("effect").Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      ...(executable === undefined ? {} : { executablePath: executable }),
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-quic"]
    })
  ),
  (opened) => Effect.promise(() => opened.close())
)

/** A private window, as a person opens one: nothing is remembered from another. Scripts are off unless told. */
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

/** What a person reads there. */
export const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).allInnerTexts()).join("\n")
