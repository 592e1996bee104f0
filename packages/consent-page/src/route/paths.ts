import { decisionPath, managementPath } from "@surety/core/consent/link/ConsentUrls"
import { sandboxPagePath } from "@surety/core/kyc/provider/SandboxKycProvider"
import { Effect, Redacted } from "effect"
import { HttpRouter } from "effect/http"

/** The pages' addresses below the base path, as templates: the only form in which they may be logged. */
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
  asset: "/consent-page/:file"
} as const

const forms = Object.values(paths).map((template) => ({
  template,
  form: new RegExp(`^${template.replace(/:[A-Za-z]+/gu, "[^/]+")}/?$`, "iu")
}))

/** Whether a path below the base path can have a token, in any spelling: the router ignores letter case. */
export const holdsToken = (path: string): boolean => /^\/*consents?\//iu.test(path)

/** The template of the page at a path below the base path. */
export const pageTemplateOf = (path: string): string | undefined => forms.find(({ form }) => form.test(path))?.template

/** The token in a request's address. It is redacted from here on. */
export const linkToken: Effect.Effect<Redacted.Redacted<string>, never, HttpRouter.RouteContext> = Effect.map(
  HttpRouter.params,
  ({ token = "" }) => Redacted.make(token, { label: "consent token" })
)
