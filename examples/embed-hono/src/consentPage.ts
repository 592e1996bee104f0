import { html } from "hono/html"

/** Fields of `dataRequests.byToken`'s result that `questionPage` takes. */
interface Question {
  readonly controller: { readonly name: string; readonly businessCode: string }
  readonly requestedFields: ReadonlyArray<string>
  readonly purpose: string
  readonly status: string
}

const page = (title: string, body: unknown) => html`<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <meta name="referrer" content="no-referrer" />
  <title>${title}</title>
  <body>
    <h1>${title}</h1>
    ${body}
  </body>
</html>`

const words: Readonly<Record<string, string>> = {
  display_name: "your name",
  email: "your e-mail address",
  country: "your country",
  points: "how many points you have collected"
}

/** Renders the request as a form with no box ticked. */
export const questionPage = ({ controller, purpose, requestedFields }: Question) =>
  page(
    `${controller.name} asks for your data`,
    html`<p>${controller.name} (${controller.businessCode}) would like to see what you tick, for this purpose: ${purpose}</p>
      <form method="post">
        ${requestedFields.map(
          (field) =>
            html`<p><label><input type="checkbox" name="field" value="${field}" /> ${words[field] ?? field}</label></p>`
        )}
        <p>You can take this back at any time, under “My data”.</p>
        <button name="decision" value="approve">Allow what is ticked</button>
        <button name="decision" value="deny">Allow nothing</button>
        <button name="decision" value="not_me">I do not know them</button>
      </form>`
  )

export const thanksPage = (allowed: ReadonlyArray<string>) =>
  page(
    "Thank you",
    allowed.length === 0
      ? html`<p>Nothing was allowed.</p>`
      : html`<p>You have allowed: ${allowed.map((field) => words[field] ?? field).join(", ")}.</p>`
  )

export const closedPage = () => page("This question is closed", html`<p>It was answered, or its time is over.</p>`)
