import { type Html, html } from "../Html.js"

/** What surrounds a page's body. */
export interface PageDocument {
  /** BCP 47. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  /** The window's title, as plain text. */
  readonly title: string
  /** The addresses of the one stylesheet and the icon. */
  readonly style: string
  readonly icon: string
  /** The body's class. Default: none. */
  readonly bodyClass?: string | undefined
  readonly body: Html
}

/** A whole page as text. It loads its stylesheet and its icon, and nothing else. */
export const pageDocument = ({ body, bodyClass, direction, icon, language, style, title }: PageDocument): string =>
  html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${style}">
<link rel="icon" href="${icon}">
</head>
<body${bodyClass !== undefined && html` class="${bodyClass}"`}>
${body}
</body>
</html>
`.toString()

/** The error, first on the page and read aloud first; its link leads to the field to correct. */
export const errorSummary = (message: Html, target: string): Html =>
  html`<p class="error" role="alert" tabindex="-1" autofocus><a href="#${target}">${message}</a></p>`
