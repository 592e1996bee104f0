import { type Html, html } from "../Html.js"

/** The variable content of a page. All strings are escaped. */
export interface PageDocument {
  /** A BCP 47 tag. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  readonly title: string
  /** Urls of the page's only stylesheet and its icon. */
  readonly style: string
  readonly icon: string
  readonly bodyClass?: string | undefined
  readonly body: Html
}

/** Builds a complete page as a string. Apart from what `body` loads, the page loads only its stylesheet and icon. */
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

/**
 * Builds the error summary, which receives focus and is announced by screen readers. Its link points to the element
 * with the id `target`, such as the field to correct.
 */
export const errorSummary = (message: Html, target: string): Html =>
  html`<p class="error" role="alert" tabindex="-1" autofocus><a href="#${target}">${message}</a></p>`
