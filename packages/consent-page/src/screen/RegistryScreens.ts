import type { DateTime } from "effect"
import { type Html, html } from "../Html.js"
import type { Frame, Screen } from "./Layout.js"

/** The sandbox's question to the holder of a number. */
export interface RegistryQuestion {
  readonly guard: Html
  readonly action: string
  readonly until: DateTime.Utc
}

/** Asks the holder as a registry's own page does. */
export const registryScreen = ({ words }: Frame, { action, guard, until }: RegistryQuestion): Screen => ({
  title: "Sandbox registry",
  isTest: true,
  body: html`<h1>Sandbox registry</h1>
<p class="lead">May the business that asks see the identity record behind your number?</p>
<p>This page stands in for the page of a registry, on which the holder of a number consents. No registry is asked, and nothing that you do here counts outside the sandbox.</p>
<p class="hint">Until ${words.time(until)}</p>
<form method="post" action="${action}">${guard}
<div class="actions"><button type="submit" name="decision" value="agree">Agree</button><button type="submit" class="second" name="decision" value="refuse">Refuse</button></div>
</form>`
})

const endings = {
  agreed: ["You agreed", "The verification goes on. You can close this page and go back to the business."],
  refused: ["You refused", "The verification has failed. You can close this page and go back to the business."],
  over: ["This is over", "The verification was decided already, or its time is over. Nothing changed."]
} as const

/** The outcome of the holder's decision. */
export const registryEndScreen = (ending: keyof typeof endings): Screen => {
  const [title, text] = endings[ending]
  return { title, isTest: true, isError: ending === "over", body: html`<h1>${title}</h1><p>${text}</p>` }
}
