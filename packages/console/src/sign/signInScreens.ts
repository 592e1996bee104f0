import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { type Html, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import { isolated } from "@surety/page-kit/shownText"
import type { ZonedTimes } from "@surety/page-kit/words/ZonedTimes"
import type { DateTime, Duration } from "effect"
import type { PageScreen } from "../page/ConsolePage.js"
import { sessionColumns } from "../record/operatorColumns.js"
import { consoleIcons } from "../screen/icons.js"
import { button, durationWords, note, state } from "../screen/parts.js"
import { table } from "../screen/tables.js"

/** With neither token nor identity provider, refers to the platform's sign-in. */
export const operatorSignInScreen = (page: {
  readonly guard: Html
  readonly action: string
  readonly next: string
  readonly error: string | undefined
  readonly byToken: boolean
  /** Url that begins sign-in at the identity provider, and the provider's name. */
  readonly oidc: { readonly href: string; readonly name: string } | undefined
  readonly written: string
  /** How long a session lasts without a request. */
  readonly idle: Duration.Duration
}): PageScreen => ({
  title: "Sign in",
  body: html`<section class="panel"><div class="pad form"><h1>Sign in</h1>${
    page.oidc !== undefined &&
    html`<a class="btn go" href="${page.oidc.href}">${consoleIcons.key}Continue with ${page.oidc.name}</a>${page.byToken && html`<p class="soft centre">or</p>`}`
  }${
    page.byToken &&
    html`<form method="post" class="form" action="${page.action}">${page.guard}<input type="hidden" name="next" value="${page.next}">${
      page.error !== undefined && errorSummary(html`${page.error}`, "token")
    }<div><label class="l" for="name">Name</label><input id="name" name="name" value="${page.written}" autocomplete="username" spellcheck="false" required maxlength="64"></div><div><label class="l" for="token">Token</label><input id="token" name="token" type="password" autocomplete="current-password" required maxlength="512" aria-describedby="token-hint"><small id="token-hint">May be pasted. After five wrong ones, this address waits before each further try.</small></div><button${page.oidc === undefined && html` class="go"`}>Sign in</button></form>`
  }${!page.byToken && page.oidc === undefined && html`<p>Sign in to the platform first, then open the console again.</p>`}</div></section>${note("info", `What you view and change is recorded under your name. A session ends after ${durationWords(page.idle)} without a request.`)}`
})

/**
 * Renders the page after sign-in at a provider. It links to the console, and the response's `refresh` header opens that
 * link. A redirect would lack the session cookie, because browsers omit `SameSite=Strict` cookies from navigations
 * initiated by another site.
 */
export const signedInScreen = (href: string): PageScreen => ({
  title: "Signed in",
  body: html`<section class="panel"><div class="empty">${consoleIcons.okc}<h1>Signed in</h1><p><a class="btn go" href="${href}">Continue</a></p></div></section>`
})

/** The reason appears only in the server's log. */
export const oidcFailedScreen = (href: string): PageScreen => ({
  title: "Not signed in",
  body: html`<section class="panel"><div class="empty">${consoleIcons.xc}<h1>Not signed in</h1><p>The identity provider did not confirm who you are, or gave you no role here. An admin finds the reason in the server’s log.</p><p><a class="btn" href="${href}">Sign in</a></p></div></section>`
})

export const sessionsScreen = (page: {
  readonly sessions: ReadonlyArray<OperatorSession>
  readonly here: OperatorSession
  readonly now: DateTime.Utc
  readonly times: ZonedTimes
  /** Url of the list's CSV export. */
  readonly csv: string
  readonly back: string
  readonly formOf: (session: OperatorSession) => Html
}): PageScreen => {
  const { address, by, createdAt, lastUsedAt } = sessionColumns(page)
  return {
    title: "My sessions",
    isWide: true,
    body: html`<div class="head"><div><div class="t1"><h1>My sessions</h1></div></div><div class="acts">${button(page.csv, "down", "CSV")}${button(page.back, undefined, "Overview")}</div></div><section class="panel" aria-label="Sessions">${table<OperatorSession>(
      "Sessions",
      [
        {
          head: "State",
          kind: "key",
          cell: ({ id }) => (id === page.here.id ? state("ok", "Current") : state("wait", "Active")),
          notInFile: "of the moment"
        },
        by,
        { ...address, label: "from" },
        {
          head: "Browser",
          kind: "wide",
          cell: ({ userAgent }) => isolated(userAgent ?? "", 40),
          notInFile: "any text"
        },
        createdAt,
        lastUsedAt,
        { head: "End", cell: page.formOf, notInFile: "a button" }
      ],
      page.sessions
    )}</section>`
  }
}
