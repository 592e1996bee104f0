import { OperatorRole } from "@surety/core/operator/Operator"
import { Redacted, Result, Schema } from "effect"
import { httpUrl, onOrOff, setting } from "./Setting.js"

const isRole = Schema.is(OperatorRole)

const shortText = (text: string): Result.Result<string, string> =>
  text.length <= 200 ? Result.succeed(text) : Result.fail("must have at most 200 characters")

const readTimeZone = (text: string): Result.Result<string, string> =>
  Result.mapError(
    Result.try(() => new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone),
    () => `is "${text}"; it must be an IANA time zone such as UTC or Africa/Lagos`
  )

/** Parses comma-separated `claim value=role` pairs. */
const readRoles = (text: string): Result.Result<Readonly<Record<string, OperatorRole>>, string> => {
  const pairs = text.split(",").map((part) => {
    const at = part.lastIndexOf("=")
    return [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()] as const
  })
  const repeated = pairs.find(([value], index) => pairs.findIndex(([other]) => other === value) < index)
  if (repeated !== undefined) return Result.fail(`gives ${repeated[0]} a role twice`)
  const roles = pairs.flatMap(([value, role]) => (value !== "" && isRole(role) ? [[value, role] as const] : []))
  return roles.length === pairs.length
    ? Result.succeed(Object.fromEntries(roles))
    : Result.fail(
        `is "${text}"; it must look like payments-team=money,help-desk=support, with ${OperatorRole.literals.join(", ")}`
      )
}

export const consoleSettings = {
  console: setting("CONSOLE", {
    meaning:
      "on, or off: whether the operator console is served at /console, where operators have tokens or OpenID Connect",
    default: "on",
    read: onOrOff
  }),
  consoleTimeZone: setting("CONSOLE_TIME_ZONE", {
    meaning: "the IANA time zone of the times in the console",
    default: "UTC",
    read: readTimeZone
  }),
  consoleOidcIssuer: setting("CONSOLE_OIDC_ISSUER", {
    meaning:
      "an OpenID Connect issuer at which operators sign in to the console; its redirect address is /console/sign-in/oidc/back below PUBLIC_URL",
    unset: "unset: operators sign in with their tokens",
    read: httpUrl
  }),
  consoleOidcClientId: setting("CONSOLE_OIDC_CLIENT_ID", {
    meaning: "the console's client id at the issuer",
    unset: "must be set with CONSOLE_OIDC_ISSUER",
    read: shortText
  }),
  consoleOidcClientSecret: setting("CONSOLE_OIDC_CLIENT_SECRET", {
    meaning: "the console's client secret at the issuer",
    unset: "must be set with CONSOLE_OIDC_ISSUER",
    read: (text) => Result.succeed(Redacted.make(text, { label: "OpenID Connect client secret" }))
  }),
  consoleOidcScope: setting("CONSOLE_OIDC_SCOPE", {
    meaning: "the scopes that the console requests from the issuer, separated by spaces",
    default: "openid profile",
    read: (text) =>
      text.split(" ").includes("openid") && /^[\x21\x23-\x5b\x5d-\x7e ]{1,200}$/u.test(text)
        ? Result.succeed(text)
        : Result.fail("must be scopes with openid among them")
  }),
  consoleOidcNameClaim: setting("CONSOLE_OIDC_NAME_CLAIM", {
    meaning: "the claim of the ID token that names an operator; people must not be able to change it themselves",
    default: "sub",
    read: shortText
  }),
  consoleOidcRolesClaim: setting("CONSOLE_OIDC_ROLES_CLAIM", {
    meaning: "the claim of the ID token that has an operator's groups or roles",
    default: "groups",
    read: shortText
  }),
  consoleOidcRoles: setting("CONSOLE_OIDC_ROLES", {
    meaning:
      "the role that each value of that claim gives, a comma-separated list of value=role; other values give none",
    unset: "must be set with CONSOLE_OIDC_ISSUER",
    read: readRoles
  })
}
