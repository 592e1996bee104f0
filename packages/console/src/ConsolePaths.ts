import { Environment } from "@surety/core/Environment"
import { Option, Schema } from "effect"
import { pages } from "./page/pages.js"

/** The console's addresses below the base path that belong to no environment. */
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

/** The environment of a path's segment, `live` or `test`. */
export const environmentIn = (segment: string): Option.Option<Environment> =>
  segment === segment.toLowerCase() ? readEnvironment(segment.toUpperCase()) : Option.none()

/** A page's address as a template. */
export const pageTemplate = (path: string): `/${string}` => `${consolePaths.home}/:environment/${path}`

const templates = [...Object.values(consolePaths), ...pages.map(({ path }) => pageTemplate(path))].map((template) => ({
  template,
  form: new RegExp(`^${template.replace(/:[A-Za-z]+/gu, "[^/]+")}/?$`, "iu")
}))

/** The template of the console's page at a path below the base path: the only form in which it may be logged. */
export const consoleTemplateOf = (path: string): string | undefined =>
  templates.find(({ form }) => form.test(path))?.template

/** Where an operator may be led after signing in: a page of the console in plain spelling, or the overview. */
export const safeNext = (asked: string | undefined): string => {
  const isOurs =
    asked !== undefined &&
    asked.length <= 512 &&
    /^\/console\/(?:live|test)(?:\/[A-Za-z0-9._~-]+)+(?:\?[\w=&.%~+-]*)?$/u.test(asked)
  return isOurs && !asked.includes("..") ? asked : "/console/live/overview"
}
