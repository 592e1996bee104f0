import { Environment } from "@surety/core/Environment"
import { Option, Schema } from "effect"
import { pages } from "./page/pages.js"

/** Console paths below the base path that do not belong to an environment. */
export const consolePaths = {
  home: "/console",
  signIn: "/console/sign-in",
  signOut: "/console/sign-out",
  sessions: "/console/sessions",
  oidc: "/console/sign-in/oidc",
  oidcBack: "/console/sign-in/oidc/back",
  asset: "/console/assets/:file"
} as const

const readEnvironment = Schema.decodeUnknownOption(Environment)

/** Parses a path segment that names an environment: `live` or `test`, in lower case only. */
export const environmentIn = (segment: string): Option.Option<Environment> =>
  segment === segment.toLowerCase() ? readEnvironment(segment.toUpperCase()) : Option.none()

export const pageTemplate = (path: string): `/${string}` => `${consolePaths.home}/:environment/${path}`

const templates = [...Object.values(consolePaths), ...pages.map(({ path }) => pageTemplate(path))].map((template) => ({
  template,
  form: new RegExp(`^${template.replace(/:[A-Za-z]+/gu, "[^/]+")}/?$`, "iu")
}))

/**
 * Returns the template of the console route that matches a path below the base path, or `undefined` if none does.
 * Ignores letter case and a trailing slash. Only the template may be logged.
 */
export const consoleTemplateOf = (path: string): string | undefined =>
  templates.find(({ form }) => form.test(path))?.template

/**
 * Returns `asked` if the console may open it after sign-in, and the LIVE overview otherwise. `asked` must have the form
 * of a page's path below `/console/live` or `/console/test`, with an optional query. It may have at most 512 characters
 * and must not contain `..`.
 */
export const safeNext = (asked: string | undefined): string => {
  const isOurs =
    asked !== undefined &&
    asked.length <= 512 &&
    /^\/console\/(?:live|test)(?:\/[A-Za-z0-9._~-]+)+(?:\?[\w=&.%~+-]*)?$/u.test(asked)
  return isOurs && !asked.includes("..") ? asked : "/console/live/overview"
}
