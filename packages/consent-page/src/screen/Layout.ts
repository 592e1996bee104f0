import { type Html, html } from "../Html.js"
import type { Words } from "../words/Words.js"

/** What every screen needs. */
export interface Frame {
  readonly words: Words
  /** The platform's name, as plain text. */
  readonly platform: string
  readonly contact: string | undefined
  readonly authority: { readonly name: string; readonly url: string }
  readonly assets: { readonly style: string; readonly icon: string; readonly logo: string | undefined }
  /** This page in each offered language; empty if only one is offered. */
  readonly languages: ReadonlyArray<{ readonly language: string; readonly name: string; readonly href: string }>
}

/** A page's own part. */
export interface Screen {
  /** The window's title, as plain text. */
  readonly title: string
  readonly body: Html
  /** Whether the page shows a mistake that the person must correct. */
  readonly isError?: boolean
  /** Whether it is a TEST page, which is stated at the top. */
  readonly isTest?: boolean
}

const languageLinks = ({ languages, words }: Frame): Html | undefined =>
  languages.length < 2
    ? undefined
    : html`<nav aria-label="${words.plain("layout.languages")}"><ul class="languages">${languages.map(
        ({ href, language, name }) =>
          html`<li>${
            language === words.catalog.language
              ? html`<span lang="${language}" aria-current="true">${name}</span>`
              : html`<a href="${href}" lang="${language}" hreflang="${language}">${name}</a>`
          }</li>`
      )}</ul></nav>`

/** A whole page. */
export const layout = (frame: Frame, { body, isError, isTest, title }: Screen): string => {
  const { assets, platform, words } = frame
  const { direction, language, name, version } = words.catalog
  const heading = isError === true ? words.plain("layout.error", { title }) : title
  return html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<title>${heading} - ${platform}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets.style}">
<link rel="icon" href="${assets.icon}">
</head>
<body>
<a class="skip" href="#main">${words.text("layout.skip")}</a>
<div class="bar"></div>
<header>
<p class="brand">${assets.logo === undefined ? undefined : html`<img src="${assets.logo}" alt="" height="32">`}<bdi>${platform}</bdi></p>
${languageLinks(frame)}
</header>
<main id="main" tabindex="-1">
${isTest === true && html`<p class="test">${words.text("layout.test")}</p>`}
${body}
</main>
<footer>
<p>${words.text("layout.footer", { platform })}</p>
<p>${words.text("layout.notice", { version, language: name })}</p>
</footer>
</body>
</html>
`.toString()
}

/** The error, at the top of the page and read aloud first; its link leads to the field to correct. */
export const errorSummary = (
  words: Words,
  message: Html,
  target: string
): Html => html`<div class="error" role="alert" tabindex="-1" autofocus>
<h2>${words.text("layout.problem")}</h2>
<p><a href="#${target}">${message}</a></p>
</div>`

/** One row of a summary list. */
export const row = (term: Html, description: Html | undefined): Html | undefined =>
  description === undefined ? undefined : html`<div><dt>${term}</dt><dd>${description}</dd></div>`

/** A plain list. */
export const unorderedList = (items: ReadonlyArray<Html>): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
