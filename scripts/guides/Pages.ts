import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

/** A Markdown file that becomes a page. */
export interface Page {
  /** From the workspace's root. */
  readonly file: string
  readonly slug: string
  /** What the list of pages says. */
  readonly label: string
  readonly group: string
  readonly text: string
}

/** Pages by file name, in the groups of the list. A page that is not named here is in the last one. */
const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Get started": ["README.md", "quick-start.md", "authentication.md", "idempotency.md"],
  Features: ["consent.md", "kyc.md", "refunds.md", "webhooks.md"],
  "Build and test": ["errors.md", "limits.md", "testing.md", "sandbox.md", "going-live.md"]
}
const otherGroup = "Build and test"
const libraries = "Libraries"

/** The clients of other languages. "Go" alone would not say where a link leads. */
const libraryLabels: Readonly<Record<string, string>> = {
  python: "Python client",
  php: "PHP client",
  go: "Go client"
}

export const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

const titleOf = (text: string): string => /^# (.+)$/mu.exec(text)?.[1] ?? ""

/** The names of the pages in the index. */
const indexLabels = (): ReadonlyMap<string, string> =>
  new Map(
    [...read("docs/merchants/README.md").matchAll(/^\| \[(.+?)\]\((.+?)\) \|/gmu)].map(([, label = "", name = ""]) => [
      name,
      label
    ])
  )

const guide = (name: string): Page => {
  const file = `docs/merchants/${name}`
  const text = read(file)
  const group = Object.entries(groups).find(([, names]) => names.includes(name))?.[0] ?? otherGroup
  const isHome = name === "README.md"
  return {
    file,
    slug: isHome ? "" : name.replace(/\.md$/u, ""),
    label: isHome ? "Overview" : (indexLabels().get(name) ?? titleOf(text)),
    group,
    text
  }
}

const readme = (file: string, slug: string, label: string): ReadonlyArray<Page> =>
  existsSync(path.join(root, file)) ? [{ file, slug, label, group: libraries, text: read(file) }] : []

/** The page on errors with the generated table of codes, to which each problem's `type` links. */
const withCodes = (page: Page): Page => {
  const codes = read("docs/errors.md")
    .replace(/^# .+\n/u, "## All codes\n")
    .replace(/^## Faults in/mu, "## Faults in")
  return page.slug === "errors" ? { ...page, text: `${page.text.trimEnd()}\n\n${codes}` } : page
}

/** Every page, in the order in which they are read. */
export const readPages = (): ReadonlyArray<Page> => {
  const named = Object.values(groups).flat()
  const others = readdirSync(path.join(root, "docs/merchants")).filter(
    (name) => name.endsWith(".md") && !named.includes(name)
  )
  const guides = [...named.filter((name) => existsSync(path.join(root, "docs/merchants", name))), ...others].map(guide)
  const sdks = readdirSync(path.join(root, "sdks")).filter((name) => libraryLabels[name] !== undefined)
  return [
    ...guides.map(withCodes),
    ...readme("packages/client/README.md", "typescript", "TypeScript client"),
    ...["python", "php", "go", ...sdks.filter((name) => !["python", "php", "go"].includes(name))].flatMap((name) =>
      readme(`sdks/${name}/README.md`, name, libraryLabels[name] ?? name)
    ),
    ...readme("packages/verifier/README.md", "webhook-verifier", "Webhook verifier")
  ]
}

/** A heading's anchor, as code hosts make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The link from one page to another. Relative, so that the pages work behind a proxy that adds a prefix. */
export const linkTo = (from: Page | "welcome", slug: string): string => {
  if (from === "welcome" || from.slug === "") return slug === "" ? "docs" : `docs/${slug}`
  return slug === "" ? "../docs" : slug
}

/**
 * Where a Markdown link leads on the site: another page, an address elsewhere, or `undefined` for a file that is not
 * served.
 */
export const resolveLink = (page: Page, href: string, pages: ReadonlyArray<Page>): string | undefined => {
  if (/^https?:/u.test(href)) return href
  const [file = "", anchor] = href.split("#")
  const suffix = anchor === undefined ? "" : `#${anchor}`
  if (file === "") return suffix
  const target = path.posix.join(path.posix.dirname(page.file), file).replace(/\/$/u, "")
  const found = pages.find((each) => each.file === target || each.file === `${target}/README.md`)
  if (found !== undefined) return `${linkTo(page, found.slug)}${suffix}`
  if (target === "docs/errors.md") return `${linkTo(page, "errors")}${suffix}`
  return target === "docs/openapi.json" ? `${linkTo(page, "").replace(/docs$/u, "")}openapi.json` : undefined
}
