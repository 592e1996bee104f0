import { accessSync, constants } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const others = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The Chromium of this machine: the one that `CHROMIUM_PATH` names, else Debian's or another that is installed. */
export const executable = ((): string | undefined => {
  const directories = (process.env.PATH ?? "").split(path.delimiter)
  const candidates = names.flatMap((name) => directories.map((directory) => path.join(directory, name)))
  const named = process.env.CHROMIUM_PATH
  return (named === undefined ? [...candidates, ...others] : [named]).find(isExecutable)
})()

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
