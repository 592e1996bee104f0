import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { icons } from "./icons.js"
import { type Frame, type Screen, sheet } from "./Layout.js"

export const homeButton = ({ home, platform, words }: Frame, look?: string): Html | undefined =>
  home === undefined
    ? undefined
    : html`<a class="button${look !== undefined && html` ${look}`}" href="${home}"><span>${words.text("layout.home", { platform: isolated(platform) })}</span></a>`

const message = (frame: Frame, icon: Html, title: Html, texts: ReadonlyArray<Html>, button?: Html): Html =>
  sheet(
    html`<div class="seal calm">${icon}</div>
<h1>${title}</h1>
${texts.map((text) => html`<p>${text}</p>`)}`,
    button ?? homeButton(frame, "ghost")
  )

/**
 * Renders the screen for an invalid link. Within a language, its bytes are the same for every such link, so the screen
 * reveals nothing about the link.
 */
export const goneScreen = (frame: Frame): Screen => {
  const { words } = frame
  const texts = [words.text("gone.text"), words.text("gone.help")]
  return { title: words.plain("gone.title"), body: message(frame, icons.clock, words.text("gone.title"), texts) }
}

/** Renders the screen for a form that the page cannot accept. `href` leads back to the link's main page. */
export const staleScreen = (frame: Frame, href: string): Screen => {
  const { words } = frame
  const back = html`<a class="button" href="${href}">${words.text("stale.back")}</a>`
  return {
    title: words.plain("stale.title"),
    isError: true,
    body: message(frame, icons.again, words.text("stale.title"), [words.text("stale.text")], back)
  }
}

export const tooManyScreen = (frame: Frame, retryAfterSeconds: number): Screen => {
  const { words } = frame
  const texts = [words.text("tooMany.text", { count: Math.ceil(retryAfterSeconds / 60) })]
  return {
    title: words.plain("tooMany.title"),
    isError: true,
    body: message(frame, icons.clock, words.text("tooMany.title"), texts)
  }
}

export const downScreen = (frame: Frame): Screen => {
  const { words } = frame
  return {
    title: words.plain("down.title"),
    isError: true,
    body: message(frame, icons.info, words.text("down.title"), [words.text("down.text")])
  }
}

export const signInScreen = (frame: Frame, url: string): Screen => {
  const { words } = frame
  const platform = isolated(frame.platform)
  const button = html`<a class="button" href="${url}"><span>${words.text("signIn.link", { platform })}</span></a>`
  return {
    title: words.plain("signIn.title"),
    body: message(frame, icons.lock, words.text("signIn.title"), [words.text("signIn.text", { platform })], button)
  }
}
