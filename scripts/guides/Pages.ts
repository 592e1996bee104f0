import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

/** A Markdown file that becomes a page. */
export interface Page {
  /** Path from the workspace's root. */
  readonly file: string
  readonly slug: string
  /** The page's name in the list of pages. */
  readonly label: string
  readonly group: string
  readonly text: string
}

/** File names of the guides in each group of the list. All other guides are in `otherGroup`. */
const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Get started": ["README.md", "quick-start.md", "authentication.md", "idempotency.md"],
  Features: ["consent.md", "kyc.md", "refunds.md", "webhooks.md"],
  "Build and test": ["errors.md", "limits.md", "testing.md", "sandbox.md", "going-live.md"]
}
const otherGroup = "Build and test"
const libraries = "Libraries"

/** Labels of the clients other than the TypeScript client. "Go" alone would be unclear as a link. */
const libraryLabels: Readonly<Record<string, string>> = {
  python: "Python client",
  php: "PHP client",
  go: "Go client"
}

export const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

const titleOf = (text: string): string => /^# (.+)$/mu.exec(text)?.[1] ?? ""

/** Returns the pages' labels in the table of `docs/merchants/README.md`, by file name. */
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

/** Adds the generated tables of error codes if this is the page on errors. Each problem's `type` links to that page. */
const withCodes = (page: Page): Page => {
  const codes = read("docs/errors.md").replace(/^# .+\n/u, "## All codes\n")
  return page.slug === "errors" ? { ...page, text: `${page.text.trimEnd()}\n\n${codes}` } : page
}

/** Returns every page in reading order. */
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

/** Returns a heading's anchor, in the form that code hosts use. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/**
 * Returns the link from one page to another. The link is relative, so that it works if a proxy serves the site under a
 * path prefix.
 */
export const linkTo = (from: Page | "welcome", slug: string): string => {
  if (from === "welcome" || from.slug === "") return slug === "" ? "docs" : `docs/${slug}`
  return slug === "" ? "../docs" : slug
}

/**
 * Resolves a Markdown link to a link within the site. An external url is returned unchanged. Returns `undefined` for a
 * file that is not served.
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
