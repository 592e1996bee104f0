import { codeLifetime } from "@surety/core/consent/decideCode"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import { Duration, Effect, Redacted } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type CodeAsked, codeScreen } from "../screen/CodeScreen.js"
import { signInScreen } from "../screen/MessageScreens.js"
import type { PageFailed } from "./answering.js"
import { readForm } from "./PageForm.js"
import type { PageKit, Visited } from "./PageKit.js"

type Response = HttpServerResponse.HttpServerResponse

/** The pages that a code leads from and to. */
export interface CodePages {
  readonly codeHref: string
  readonly pageHref: string
}

const minutes = Duration.toMinutes(codeLifetime)

/** The page that asks for a code, in one of its states. */
const drawCode = Effect.fnUntraced(function* (
  kit: PageKit,
  visit: Visited,
  { codeHref }: CodePages,
  state: Pick<CodeAsked, "minutes" | "error">,
  status: number
) {
  const guard = yield* kit.guardField(visit)
  return kit.drawIn(visit, codeScreen(visit.frame, { guard, action: codeHref, ...state }), status)
})

/** Shows what `show` makes once the host's authenticator lets the visitor in, and what it demands before. */
export const admitted = Effect.fnUntraced(function* <E>(
  kit: PageKit,
  visit: Visited,
  person: Person,
  pages: CodePages,
  show: Effect.Effect<Response, E>
): Effect.fn.Return<Response, E | PageFailed> {
  const { link, request, visiting } = visit
  const asked = kit.admissions.visitOf(request, person, link)
  const admission = yield* kit.admissions.admit(request, visiting.visit, asked)
  switch (admission._tag) {
    case "Admitted":
      return yield* show
    case "SignInRequired":
      return kit.drawIn(visit, signInScreen(visit.frame, admission.url), 401)
    case "CodeRequired":
      return yield* drawCode(kit, visit, pages, { minutes: undefined, error: undefined }, 401)
  }
})

/** Six digits, however they are spaced. */
const codeForm = /^\d{6}$/u

/** Deals with the form that asks for a code or enters one. */
export const codeStep = Effect.fnUntraced(function* (
  kit: PageKit,
  visit: Visited,
  person: Person,
  pages: CodePages
): Effect.fn.Return<Response, PageFailed> {
  const form = yield* readForm(kit, visit)
  const { link, request, visiting } = visit
  const asked = kit.admissions.visitOf(request, person, link)
  const drawn = (state: Pick<CodeAsked, "minutes" | "error">, status: number) =>
    drawCode(kit, visit, pages, state, status)
  if (form.first("step") === "send") {
    const sent = yield* kit.admissions.sendCode(asked)
    return sent._tag === "Sent"
      ? yield* drawn({ minutes: sent.minutes, error: undefined }, 200)
      : yield* drawn(
          { minutes: undefined, error: { key: "code.tooMany", count: Math.ceil(sent.retryAfterSeconds / 60) } },
          429
        )
  }
  const code = (form.first("code") ?? "").replace(/[\s-]/gu, "")
  if (!codeForm.test(code)) return yield* drawn({ minutes, error: { key: "code.form" } }, 400)
  switch (yield* kit.admissions.checkCode(asked, Redacted.make(code, { label: "one-time code" }))) {
    case "Right": {
      const proof = yield* kit.admissions.proofFor(visiting.visit, person)
      return kit.withCookie(kit.seeOther(pages.pageHref), kit.admissions.proofCookie, proof)
    }
    case "Wrong":
      return yield* drawn({ minutes, error: { key: "code.wrong" } }, 400)
    case "Spent":
      return yield* drawn({ minutes: undefined, error: { key: "code.spent" } }, 400)
  }
})
