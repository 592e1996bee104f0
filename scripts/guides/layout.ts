import { escapeHtml } from "./highlight.ts"
import { linkTo, type Page } from "./Pages.ts"
import type { RenderedPage } from "./renderPage.ts"
import { baseUrlMark } from "./samples/samples.ts"

/** Hashed names of the files to which every page refers. */
export interface Files {
  readonly style: string
  readonly script: string
  readonly search: string
  readonly icon: string
}

const mark =
  '<span class="mark"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.6 4.6 4.6L19 7.6"/></svg></span>'
const icons = {
  menu: '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16"/></svg>',
  find: '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/></svg>',
  theme:
    '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></svg>'
} as const

export const productName = "Surety"

const copyButton = '<button class="copy" type="button" hidden>Copy</button>'

interface Head {
  readonly title: string
  readonly description: string
  readonly from: Page | "welcome"
}

const head = ({ description, from, title }: Head, files: Files): string => {
  const assets = linkTo(from, "assets")
  const pagesRoot = linkTo(from, "x").replace(/x$/u, "")
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets}/${files.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/${files.style}">
<script src="${assets}/${files.script}" data-root="${pagesRoot}" data-search="${assets}/${files.search}"></script>
</head>
`
}

const sidebar = (page: Page, pages: ReadonlyArray<Page>): string => {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].map(([group, members]) => {
    const items = members.map((each) => {
      const current = each === page ? ' aria-current="page"' : ""
      return `<li><a href="${linkTo(page, each.slug)}"${current}>${escapeHtml(each.label)}</a></li>`
    })
    return `<h2>${group}</h2><ul>${items.join("")}</ul>`
  })
  const documents = `${linkTo(page, "").replace(/docs$/u, "")}openapi`
  const reference = `<h2>Reference</h2><ul><li><a href="${linkTo(page, "reference")}">API reference</a></li><li><a href="${documents}/merchant.json">OpenAPI document</a></li></ul>`
  return `<nav class="side" id="pages" popover aria-label="Pages">${groups.join("")}${reference}</nav>`
}

const contents = ({ headings }: RenderedPage): string => {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return "<div></div>"
  const items = shown.map(
    ({ anchor, depth, text }) => `<li class="d${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`
  )
  return `<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`
}

const ways = (page: Page, pages: ReadonlyArray<Page>): string => {
  const at = pages.indexOf(page)
  const way = (other: Page | undefined, word: string, kind: string): string =>
    other === undefined
      ? ""
      : `<a class="${kind}" rel="${kind}" href="${linkTo(page, other.slug)}"><small>${word}</small>${escapeHtml(other.label)}</a>`
  return `<nav class="ways" aria-label="Previous and next page">${way(pages[at - 1], "Previous", "prev")}${way(pages[at + 1], "Next", "next")}</nav>`
}

const address = `<div class="hero"><b>Base address</b><code>${baseUrlMark}</code>${copyButton}</div>`

const hero = (page: Page): string =>
  `${address}
<div class="buttons"><a class="button" href="${linkTo(page, "quick-start")}">Quick start</a><a class="button ghost" href="${linkTo(page, "reference")}">API reference</a></div>
`

const asCards = (body: string): string =>
  body.replace(/<div class="scroll"[^>]*><table>.*?<\/table><\/div>/su, (table) => {
    const rows = [...table.matchAll(/<tr><td>(?<link>.*?)<\/td><td>(?<text>.*?)<\/td><\/tr>/gsu)]
    return `<ul class="cards">${rows.map(({ groups }) => `<li>${groups?.link}<p>${groups?.text}</p></li>`).join("")}</ul>`
  })

/** Inserts the hero below the home page's first paragraph, and turns the first table after it into cards. */
const withHero = (page: Page, body: string): string => {
  const end = body.indexOf("</p>") + "</p>\n".length
  return `${body.slice(0, end)}${hero(page)}${asCards(body.slice(end))}`
}

export const pageHtml = (page: Page, rendered: RenderedPage, pages: ReadonlyArray<Page>, files: Files): string => {
  const isHome = page.slug === ""
  const title = isHome ? `${productName} documentation` : `${rendered.title} · ${productName} documentation`
  const h1 = isHome ? "Documentation" : rendered.title
  return `${head({ title, description: rendered.description, from: page }, files)}<body>
<a class="vh skip" href="#content">Skip to the content</a>
<header class="top"><div>
<button class="icon menu" type="button" popovertarget="pages" aria-label="Pages">${icons.menu}</button>
<a class="brand" href="${linkTo(page, "")}">${mark}${productName} <i>Docs</i></a>
<button class="find" type="button" data-search-open aria-label="Search" hidden>${icons.find}<span>Search</span><kbd>/</kbd></button>
<nav aria-label="Main"><a class="wide" href="${linkTo(page, "")}"${isHome ? ' aria-current="page"' : ""}>Guides</a><a class="wide" href="${linkTo(page, "reference")}">API reference</a><button class="icon" type="button" data-theme-switch aria-label="Switch between light and dark" hidden>${icons.theme}</button></nav>
</div></header>
<div class="frame">
${sidebar(page, pages)}
<div class="page">
<main id="content">
<p class="eyebrow vh">${page.group}</p>
<h1>${escapeHtml(h1)}</h1>
${isHome ? withHero(page, rendered.body) : rendered.body}${ways(page, pages)}
</main>
${contents(rendered)}
</div>
</div>
</body>
</html>
`
}

/** Renders the page at the base url, for a person who opens it in a browser. */
export const welcomeHtml = (files: Files): string => {
  const from = "welcome"
  const card = (href: string, name: string, text: string): string =>
    `<li><a href="${href}">${name}</a><p>${text}</p></li>`
  const title = `${productName}: consent, KYC and refunds for merchants`
  const description =
    "A server-to-server interface for merchants: consent and identity, managed KYC, wallet refunds, signed webhooks."
  return `${head({ title, description, from }, files)}<body class="welcome">
<main>
${mark}
<h1>${productName} is running</h1>
<p>${description}</p>
${address}
<ul class="cards">
${card(linkTo(from, ""), "Guides", "From a first key to going live, step by step.")}
${card(linkTo(from, "quick-start"), "Quick start", "A key, a test payment and a refund in five minutes.")}
${card(linkTo(from, "reference"), "API reference", "Every operation, with samples in five languages.")}
${card("openapi/merchant.json", "OpenAPI", "The interface as a document, to generate a client.")}
</ul>
</main>
</body>
</html>
`
}
