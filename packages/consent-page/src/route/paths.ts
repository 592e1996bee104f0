import { decisionPath, managementPath } from "@surety/core/consent/link/ConsentUrls"
import { sandboxPagePath } from "@surety/core/kyc/provider/SandboxKycProvider"
import { Effect, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/**
 * Path templates of the pages below the base path. Only templates may be logged, because a path may contain a token.
 */
export const paths = {
  ask: decisionPath,
  askCode: `${decisionPath}/code`,
  manage: managementPath,
  manageCode: `${managementPath}/code`,
  reads: `${managementPath}/reads`,
  rights: `${managementPath}/rights`,
  receipts: `${managementPath}/receipts`,
  receipt: `${managementPath}/receipts/:receiptId`,
  download: `${managementPath}/receipts/:receiptId/download`,
  sandboxKyc: sandboxPagePath,
  check: "/consent-page/check-receipt.html",
  asset: "/consent-page/:file"
} as const

const forms = Object.values(paths).map((template) => ({
  template,
  form: new RegExp(`^${template.replace(/:[A-Za-z]+/gu, "[^/]+")}/?$`, "iu")
}))

/**
 * Returns true if a path below the base path may contain the token of a consent link or of a sandbox registry's page.
 * Ignores letter case and repeated leading slashes, because a host's router may do so.
 */
export const holdsToken = (path: string): boolean => /^\/*(?:consents?|sandbox\/kyc)\//iu.test(path)

/** Returns the template that matches a path below the base path, or `undefined` if none does. */
export const pageTemplateOf = (path: string): string | undefined => forms.find(({ form }) => form.test(path))?.template

/** Returns the token in the request's path as a redacted string, which is empty if the path has no token. */
export const linkToken: Effect.Effect<Redacted.Redacted<string>, never, HttpRouter.RouteContext> = Effect.map(
  HttpRouter.params,
  ({ token = "" }) => Redacted.make(token, { label: "consent token" })
)
