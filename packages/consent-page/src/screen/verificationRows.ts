import type { VerificationReceiptBody } from "@surety/core/consent/receipt/Receipt"
import { type Html, html } from "../Html.js"
import { isolated } from "../shownText.js"
import { type Frame, row } from "./Layout.js"

/** What was verified, for what, by whom, and who said that the person agreed. */
export const verificationRows = ({ words }: Frame, { verification }: VerificationReceiptBody): Html => {
  const { kind, method, provider, tier } = verification
  return html`${row(words.text("receipt.kind"), words.text(`receipt.kind.${kind}`))}
${tier !== undefined && row(words.text("receipt.tier"), isolated(tier))}
${row(words.text("receipt.method"), words.text(`receipt.method.${method}`))}
${provider !== undefined && row(words.text("receipt.provider"), isolated(provider))}`
}
