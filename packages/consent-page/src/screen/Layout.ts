import { type Html, html } from "@surety/page-kit/Html"
import { pageDocument } from "@surety/page-kit/screen/pageDocument"
import { isolated, plainText } from "@surety/page-kit/shownText"
import type { Words } from "../words/Words.js"
import { icons } from "./icons.js"

/** Values shared by the pages in one language. */
export interface Frame {
  readonly words: Words
  /** The platform's name as plain text. */
  readonly platform: string
  readonly contact: string | undefined
  /** Url of the platform's own app or site. If undefined, no page links back to it. */
  readonly home: string | undefined
  readonly authority: { readonly name: string; readonly url: string }
  readonly assets: { readonly style: string; readonly icon: string; readonly logo: string | undefined }
  /** Languages on offer, in the order of the menu. */
  readonly languages: ReadonlyArray<{ readonly language: string; readonly name: string }>
}

export interface Screen {
  /** The window's title as plain text. */
  readonly title: string
  readonly body: Html
  /** True for an error page, whose title says so. */
  readonly isError?: boolean
  /** True for a TEST page, which says so at the top. */
  readonly isTest?: boolean
  /** Id of the form whose entries survive a language change. If undefined, the languages are links. */
  readonly form?: string
}

/**
 * Renders the language menu. With a form, the other languages are buttons of the form, so ticked boxes stay ticked.
 * Otherwise they are relative links, so the page for invalid links has the same bytes for every such link.
 */
const languageMenu = ({ languages, words }: Frame, form: string | undefined): Html | undefined => {
  if (languages.length < 2) return undefined
  const { catalog } = words
  return html`<nav aria-label="${words.plain("layout.languages")}"><details class="lang"><summary>${icons.globe}<span><span class="vh">${words.text("layout.languages")}: </span>${catalog.name}</span>${icons.down}</summary>
<ul>${languages.map(({ language, name }) => {
    if (language === catalog.language) return html`<li><span lang="${language}" aria-current="true">${name}</span></li>`
    return form === undefined
      ? html`<li><a href="?lang=${language}" lang="${language}" hreflang="${language}">${name}</a></li>`
      : html`<li><button type="submit" form="${form}" name="lang" value="${language}" lang="${language}">${name}</button></li>`
  })}</ul></details></nav>`
}

/** Renders the form's first button, which the Enter key triggers. It submits the form but decides nothing. */
const inertButton = (form: string): Html =>
  html`<button class="vh" type="submit" form="${form}" name="decision" value="" tabindex="-1" aria-hidden="true"></button>`

const brand = ({ assets, platform }: Frame): Html =>
  assets.logo === undefined
    ? html`<span class="mark" aria-hidden="true">${plainText(platform, 1).replace("…", "").toUpperCase()}</span>`
    : html`<img src="${assets.logo}" alt="" height="32">`

/** Renders a screen within its frame as a complete HTML document. */
export const layout = (frame: Frame, { body, form, isError, isTest, title }: Screen): string => {
  const { assets, platform, words } = frame
  const { direction, language } = words.catalog
  const heading = isError === true ? words.plain("layout.error", { title }) : title
  return pageDocument({
    language,
    direction,
    title: `${heading} - ${platform}`,
    style: assets.style,
    icon: assets.icon,
    body: html`<a class="vh skip" href="#main">${words.text("layout.skip")}</a>
${form !== undefined && inertButton(form)}
<header class="top">
<p class="brand">${brand(frame)}<bdi>${platform}</bdi></p>
${languageMenu(frame, form)}
</header>
<main id="main" tabindex="-1">
${isTest === true && html`<p class="test">${icons.info}<span>${words.text("layout.test")}</span></p>`}
${body}
</main>
<footer class="foot">
<p>${icons.lock}<span>${words.text("layout.footer", { platform: isolated(platform) })}</span></p>
</footer>`
  })
}

export const sheet = (body: Html, buttons?: Html): Html => html`<div class="sheet"><div class="pad end">
${body}
</div>
${buttons !== undefined && html`<div class="grow"></div><div class="pad stack">${buttons}</div>`}
</div>`
