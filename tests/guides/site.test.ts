import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { brotliCompressSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { buildSite } from "../../scripts/guides/buildSite.ts"
import type { Site } from "../../scripts/guides/Site.ts"
import { root } from "../sdks/Toolchain.ts"

let site: Site
beforeAll(async () => {
  site = await buildSite()
})

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/gu, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const idsOf = (html: string): ReadonlyArray<string> => [...html.matchAll(/ id="([^"]+)"/gu)].map(([, id = ""]) => id)

/** Returns a page's url, against which a browser resolves its links. */
const urlOf = (slug: string): URL => new URL(slug === "" ? "http://host/docs" : `http://host/docs/${slug}`)

const served = (): ReadonlyMap<string, string> =>
  new Map([
    ...site.pages.map(({ html, slug }) => [urlOf(slug).pathname, html] as const),
    ...site.assets.map(({ name }) => [`/docs/assets/${name}`, ""] as const),
    ...["/docs/reference", "/openapi.json", "/openapi/merchant.json"].map((each) => [each, ""] as const)
  ])

const deadLinks = (html: string, url: URL): ReadonlyArray<string> => {
  const all = served()
  return [...html.matchAll(/ (?:href|src|data-search)="([^"]+)"/gu)].flatMap(([, link = ""]) => {
    const target = new URL(link.replaceAll("&amp;", "&"), url)
    if (target.origin !== url.origin) return []
    const page = all.get(target.pathname)
    const isFound = page !== undefined && (target.hash === "" || idsOf(page).includes(target.hash.slice(1)))
    return isFound ? [] : [`${url.pathname}: ${link}`]
  })
}

describe("The rendered guides", () => {
  it("have a page for each file of the merchants' guides, and each client's", () => {
    const files = readdirSync(path.join(root, "docs/merchants")).map((file) => file.replace(/\.md$/u, ""))
    const slugs = site.pages.map(({ slug }) => (slug === "" ? "README" : slug))
    expect(slugs).toEqual(expect.arrayContaining([...files, "typescript", "python", "php", "go", "webhook-verifier"]))
  })

  it("lead to served pages only", () => {
    const dead = site.pages.flatMap(({ html, slug }) => deadLinks(html, urlOf(slug)))
    expect([...dead, ...deadLinks(site.welcome, new URL("http://host/"))]).toEqual([])
  })

  it("have nothing inline, nothing from elsewhere, and each id once", () => {
    for (const html of [...site.pages.map((page) => page.html), site.welcome]) {
      expect(html).not.toMatch(/<style|<script(?! src="(?:docs\/)?assets\/)|\s(?:style|on\w+)="/u)
      expect(html).not.toMatch(/<(?:script|img|iframe|link)[^>]+(?:src|href)="(?:https?:)?\/\//u)
      const ids = idsOf(html)
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    }
  })

  it("say of each link where it leads, as search engines ask", () => {
    const vague =
      /^(?:click here|go|here|information|learn more|more|more info|more information|read more|start|this)$/iu
    const links = site.pages.flatMap(({ html, slug }) =>
      [...html.matchAll(/<a [^>]*>(.*?)<\/a>/gsu)].map(([, inner = ""]) => `${slug}: ${textOf(inner).trim()}`)
    )
    expect(links.length).toBeGreaterThan(300)
    expect(links.filter((link) => vague.test(link.slice(link.indexOf(": ") + 2)))).toEqual([])
  })

  it("show every block of the pages as it is written, with the server's own address", () => {
    for (const { slug, html } of site.pages) {
      const file = path.join(root, "docs/merchants", `${slug === "" ? "README" : slug}.md`)
      if (!readdirSync(path.dirname(file)).includes(path.basename(file))) continue
      const text = textOf(html)
      for (const [, code = ""] of readFileSync(file, "utf8").matchAll(/^```[^\n]*\n(.*?)^```/gmsu)) {
        expect(text).toContain(code.trimEnd().replaceAll("http://127.0.0.1:3000", "%BASE_URL%"))
      }
      expect(html).not.toContain("127.0.0.1:3000")
    }
  })

  it("explain every code where its problem's type leads", () => {
    const errors = site.pages.find(({ slug }) => slug === "errors")?.html ?? ""
    const table = readFileSync(path.join(root, "docs/errors.md"), "utf8")
    const codes = [...table.matchAll(/^\| `(\w+)` \|/gmu)].map(([, code = ""]) => code)
    expect(codes.length).toBeGreaterThan(80)
    expect(idsOf(errors)).toEqual(expect.arrayContaining(codes))
  })

  it("cost less than 150 KB for the home, with all that it loads at once", () => {
    const loaded = site.assets.filter(({ name }) => !name.startsWith("search"))
    const home = site.pages.find(({ slug }) => slug === "")?.html ?? ""
    const bytes = [home, ...loaded.map(({ text }) => text)].map((text) => brotliCompressSync(text).length)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(150_000)
  })

  it("have their files under names that change with the content", () => {
    for (const { name } of site.assets) expect(name).toMatch(/^[a-z]+-[0-9a-f]{16}\.(?:css|js|svg)$/u)
  })

  it("have samples of every operation, each of merchants in five languages", () => {
    const {
      paths
    }: { readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>> } =
      JSON.parse(readFileSync(path.join(root, "docs/openapi.json"), "utf8"))
    for (const [route, methods] of Object.entries(paths)) {
      for (const { operationId } of Object.values(methods)) {
        const labels = site.samples[operationId]?.map(({ label }) => label)
        expect(labels, operationId).toEqual(
          route.startsWith("/v1/") ? ["curl", "TypeScript", "Python", "PHP", "Go"] : ["curl"]
        )
      }
    }
  })
})

it("the guides have the consent page's colours", async () => {
  const css = readFileSync(path.join(root, "scripts/guides/assets/style/base.css"), "utf8")
  const { palettes } = await import("../../packages/page-kit/src/look/Palette.js")
  const { dark, light } = palettes({ accent: "#0b5d4b", accentDark: "#6fd3b5" })
  const shown = [...css.matchAll(/--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)/gu)]
  expect(shown.length).toBeGreaterThanOrEqual(12)
  const colours = new Map(
    Object.entries(light).map(([name, colour]) => [name, [colour, dark[name as keyof typeof dark]]])
  )
  for (const [, name = "", inLight, inDark] of shown) expect([inLight, inDark], name).toEqual(colours.get(name))
})
