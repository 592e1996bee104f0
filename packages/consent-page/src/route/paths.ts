/** The pages' addresses below the base path, as templates: the only form in which they may be logged. */
export const paths = {
  ask: "/consent/:token",
  askCode: "/consent/:token/code",
  manage: "/consents/:token",
  manageCode: "/consents/:token/code",
  reads: "/consents/:token/reads",
  receipts: "/consents/:token/receipts",
  receipt: "/consents/:token/receipts/:receiptId",
  download: "/consents/:token/receipts/:receiptId/download",
  asset: "/consent-page/:file"
} as const

const forms = Object.values(paths).map((template) => ({
  template,
  form: new RegExp(`^${template.replace(/:[A-Za-z]+/gu, "[^/]+")}/?$`, "iu")
}))

/** Whether a path below the base path can have a token, in any spelling: the router ignores letter case. */
export const holdsToken = (path: string): boolean => /^\/*consents?\//iu.test(path)

/** The template of the page at a path below the base path. */
export const templateOf = (path: string): string | undefined => forms.find(({ form }) => form.test(path))?.template
