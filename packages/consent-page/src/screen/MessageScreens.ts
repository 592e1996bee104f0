import { html } from "../Html.js"
import { isolated } from "../shownText.js"
import type { Frame, Screen } from "./Layout.js"

/** An unknown, expired or cancelled link: the same bytes for each. */
export const goneScreen = ({ words }: Frame): Screen => ({
  title: words.plain("gone.title"),
  body: html`<h1>${words.text("gone.title")}</h1><p>${words.text("gone.text")}</p><p>${words.text("gone.help")}</p>`
})

/** A form that does not come from our page, or without its cookie. */
export const staleScreen = ({ words }: Frame, href: string): Screen => ({
  title: words.plain("stale.title"),
  isError: true,
  body: html`<h1>${words.text("stale.title")}</h1><p>${words.text("stale.text")}</p><p><a href="${href}">${words.text("stale.back")}</a></p>`
})

export const tooManyScreen = ({ words }: Frame, retryAfterSeconds: number): Screen => ({
  title: words.plain("tooMany.title"),
  isError: true,
  body: html`<h1>${words.text("tooMany.title")}</h1><p>${words.text("tooMany.text", { count: Math.ceil(retryAfterSeconds / 60) })}</p>`
})

export const downScreen = ({ words }: Frame): Screen => ({
  title: words.plain("down.title"),
  isError: true,
  body: html`<h1>${words.text("down.title")}</h1><p>${words.text("down.text")}</p>`
})

export const signInScreen = ({ platform: name, words }: Frame, url: string): Screen => {
  const platform = isolated(name)
  return {
    title: words.plain("signIn.title"),
    body: html`<h1>${words.text("signIn.title")}</h1><p>${words.text("signIn.text", { platform })}</p><p><a class="button" href="${url}">${words.text("signIn.link", { platform })}</a></p>`
  }
}
