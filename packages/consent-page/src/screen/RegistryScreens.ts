import { type Html, html } from "@surety/page-kit/Html"
import type { DateTime } from "effect"
import { icons } from "./icons.js"
import { type Frame, type Screen, sheet } from "./Layout.js"

export interface RegistryQuestion {
  readonly guard: Html
  readonly action: string
  readonly until: DateTime.Utc
}

/** Renders the stand-in for a registry's page, which asks the holder for consent. */
export const registryScreen = ({ words }: Frame, { action, guard, until }: RegistryQuestion): Screen => ({
  title: "Sandbox registry",
  isTest: true,
  body: sheet(html`<div class="seal calm">${icons.identity}</div>
<h1>Sandbox registry</h1>
<p>May the business that asks see the identity record behind your number?</p>
<p>This page stands in for the page of a registry, on which the holder of a number consents. No registry is asked, and nothing that you do here counts outside the sandbox.</p>
<p class="soft small">Until ${words.time(until)}</p>
<form class="stack" method="post" action="${action}">${guard}
<button type="submit" name="decision" value="agree">Agree</button><button type="submit" class="no" name="decision" value="refuse">Refuse</button>
</form>`)
})

const endings = {
  agreed: [icons.yes, "You agreed", "The verification goes on. You can close this page and go back to the business."],
  refused: [
    icons.no,
    "You refused",
    "The verification has failed. You can close this page and go back to the business."
  ],
  over: [icons.clock, "This is over", "The verification was decided already, or its time is over. Nothing changed."]
} as const

/** Renders the screen shown after the holder agrees or refuses, or once a decision is no longer possible. */
export const registryEndScreen = (ending: keyof typeof endings): Screen => {
  const [icon, title, text] = endings[ending]
  return {
    title,
    isTest: true,
    isError: ending === "over",
    body: sheet(html`<div class="seal ${ending === "agreed" ? "yes" : "calm"}">${icon}</div>
<h1>${title}</h1><p>${text}</p>`)
  }
}
