import type { CodeState } from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import type { SentForm } from "@surety/page-kit/form/SentForm"
import { Effect, Redacted } from "effect"
import type { HttpServerResponse } from "effect/http"
import { codeScreen } from "../screen/CodeScreen.js"
import { signInScreen } from "../screen/MessageScreens.js"
import type { MessageKey } from "../words/Catalog.js"
import { type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"

type Response = HttpServerResponse.HttpServerResponse

/** The pages that a code leads from and to. */
export interface CodePages {
  readonly codeHref: string
  readonly pageHref: string
}

/** The page that asks for a code: with the field while a code is outstanding. */
const drawCode = Effect.fnUntraced(function* (
  kit: PageKit,
  visit: Visited,
  { codeHref }: CodePages,
  code: CodeState,
  error?: MessageKey
) {
  const guard = yield* kit.guardField(visit)
  const screen = codeScreen(visit.frame, { guard, action: codeHref, code, error })
  return kit.drawIn(visit, screen, error === undefined ? 401 : 400)
})

/** Shows the page of `show` once the host's authenticator admits the visitor, and before that what it demands. */
const admittedOr = Effect.fnUntraced(function* <E, E2>(
  kit: PageKit,
  visit: Visited,
  person: Person,
  show: Effect.Effect<Response, E>,
  demand: (code: CodeState) => Effect.Effect<Response, E2>
): Effect.fn.Return<Response, E | E2 | PageFailed> {
  const { link, request, visiting } = visit
  const asked = kit.admissions.visitOf(request, person, link)
  const admission = yield* kit.admissions.admit(request, visiting.visit, asked)
  switch (admission._tag) {
    case "Admitted":
      return yield* show
    case "SignInRequired":
      return kit.drawIn(visit, signInScreen(visit.frame, admission.url), 401)
    case "CodeRequired":
      return yield* demand(admission.code)
  }
})

/** Shows what `show` makes once the host's authenticator lets the visitor in, and what it demands before. */
export const admitted = <E>(
  kit: PageKit,
  visit: Visited,
  person: Person,
  pages: CodePages,
  show: Effect.Effect<Response, E>
): Effect.Effect<Response, E | PageFailed> =>
  admittedOr(kit, visit, person, show, (code) => drawCode(kit, visit, pages, code))

/** Six digits, however they are spaced. */
const codeForm = /^\d{6}$/u

/** The message for a wrong code; undefined for a correct one. */
const enter = Effect.fnUntraced(function* (
  kit: PageKit,
  { link, request }: Visited,
  person: Person,
  form: SentForm
): Effect.fn.Return<MessageKey | undefined, PageFailed> {
  const code = (form.first("code") ?? "").replace(/[\s-]/gu, "")
  if (!codeForm.test(code)) return "code.form"
  const asked = kit.admissions.visitOf(request, person, link)
  switch (yield* kit.admissions.checkCode(asked, Redacted.make(code, { label: "one-time code" }))) {
    case "Right":
      return undefined
    case "Wrong":
      return "code.wrong"
    case "Spent":
      return "code.spent"
  }
})

/**
 * Handles the form that requests or enters a code. After sending, the browser is redirected to the page, so that
 * reloading sends nothing and shows the field while the code is outstanding.
 */
export const codeStep = Effect.fnUntraced(function* (
  kit: PageKit,
  visit: Visited,
  person: Person,
  pages: CodePages
): Effect.fn.Return<Response, PageFailed> {
  const form = yield* readPageForm(kit, visit)
  const back = kit.seeOther(pages.pageHref)
  const step = Effect.gen(function* (): Effect.fn.Return<Response, PageFailed> {
    if (form.first("step") === "send") {
      yield* kit.admissions.sendCode(kit.admissions.visitOf(visit.request, person, visit.link))
      return back
    }
    const error = yield* enter(kit, visit, person, form)
    if (error === undefined) {
      const proof = yield* kit.admissions.proofFor(visit.visiting.visit, person)
      return kit.withCookie(back, kit.admissions.proofCookie, proof)
    }
    return yield* admittedOr(kit, visit, person, Effect.succeed(back), (code) =>
      drawCode(kit, visit, pages, code, error)
    )
  })
  return yield* admittedOr(kit, visit, person, Effect.succeed(back), () => step)
})
