import path from "node:path"

/** True if a path from the workspace's root is a file or a directory. */
export type Exists = (file: string) => boolean

const withoutFences = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, "")

const topDirectories = /^(packages|docs|tests|examples|deploy|scripts)\//
const fileName = /^[\w@-][\w.@-]*(\/[\w.@-]+)+\.(ts|mjs|md|json|sql|yaml)$/

/** True if inline code names a file or a directory. */
const isPath = (code: string): boolean =>
  !code.includes("*") && !/\s/.test(code) && (topDirectories.test(code) || fileName.test(code))

/**
 * Returns the paths that inline code may mean. `core/Money.ts` is short for `packages/core/src/Money.ts`, and a page
 * may name files relative to its own directory.
 */
const candidates = (page: string, code: string): ReadonlyArray<string> => [
  code,
  code.replace(/^([\w-]+)\//, "packages/$1/src/"),
  path.posix.join(path.posix.dirname(page), code)
]

const linkTarget = (page: string, link: string): string => {
  const [file = ""] = link.split("#")
  return file === "" ? page : path.posix.join(path.posix.dirname(page), file)
}

/** Returns nonexistent files that a page names in links or inline code. */
export const missingFiles = (page: string, text: string, exists: Exists): ReadonlyArray<string> => {
  const prose = withoutFences(text)
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
  const codes = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)
  const missing = [
    ...links.filter((link) => !/^[a-z]+:/.test(link) && !exists(linkTarget(page, link))),
    ...codes.filter((code) => isPath(code) && !candidates(page, code).some(exists))
  ]
  return missing.map((name) => `${page}: ${name} does not exist`)
}

/**
 * Returns a route with each parameter (`{id}`, `:id`, `$ID` or `<id>`) replaced by `{}`. Drops trailing dots and
 * colons.
 */
const templateOf = (route: string): string =>
  route.replaceAll(/\{[^}]+\}|:[A-Za-z]+|\$[A-Z_]+|<[A-Za-z]+>/g, "{}").replace(/[.:]+$/, "")

/**
 * Returns merchant API routes that a text names with a method but that the OpenAPI document lacks. `paths` are the
 * document's paths.
 */
export const missingRoutes = (file: string, text: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Set(paths.map(templateOf))
  const named = [...text.matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w{}:$./<>-]*)/g)].map(
    ([, route = ""]) => route
  )
  return named.filter((route) => !known.has(templateOf(route))).map((route) => `${file}: ${route} does not exist`)
}
