import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import type { BrowserContext } from "playwright-core"

const at = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

export const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [at("src/index.ts")],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    minify: true,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

export const readmePages = (): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      readFileSync(at("README.md"), "utf8").matchAll(/^```html page=(\S+)\n(.*?)^```/gmsu),
      ([, path = "", page = ""]) => [path, page] as const
    )
  )

/** Origin of the merchant's own site, which differs from the consent page's. */
export const origin = "https://shop.example"

export interface ShopAnswer {
  readonly body: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves the shop to every window of the context: the README's pages, the kit, and responses from `answer`. */
export const serve = async (
  context: BrowserContext,
  answer: (path: string, posted: string | null) => Promise<ShopAnswer | undefined>,
  sites: ReadonlyArray<string> = [origin]
): Promise<void> => {
  const kit = await bundle()
  const pages = readmePages()
  for (const site of sites) {
    await context.route(`${site}/**`, async (route) => {
      const request = route.request()
      const { pathname } = new URL(request.url())
      const added = await answer(pathname, request.postData())
      if (added !== undefined) {
        const { body, headers = {}, type = "application/json" } = added
        return route.fulfill({ body, contentType: type, headers: { ...headers } })
      }
      if (pathname === "/consent-kit.js") return route.fulfill({ body: kit, contentType: "text/javascript" })
      const page = pages.get(pathname)
      return page === undefined
        ? route.fulfill({ status: 404, body: "" })
        : route.fulfill({ body: page, contentType: "text/html" })
    })
  }
}
