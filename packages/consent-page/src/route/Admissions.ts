import {
  type Admission,
  admit,
  type CodeState,
  ConsumerAuthenticator,
  checkCode,
  sendCode,
  type Visit
} from "@surety/core/consent/admission/ConsumerAuthenticator"
import type { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import { Keyring } from "@surety/core/secret/Keyring"
import { sameText } from "@surety/core/secret/sameText"
import { cookieName } from "@surety/page-kit/form/FormGuard"
import type { SentForm } from "@surety/page-kit/form/SentForm"
import { Clock, Duration, Effect, Redacted } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { codeScreen } from "../screen/CodeScreen.js"
import { signInScreen } from "../screen/MessageScreens.js"
import type { MessageKey } from "../words/Catalog.js"
import { type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"

type Response = HttpServerResponse.HttpServerResponse

/**
 * The code forms post to `codeHref`. After a code is sent or entered correctly, the response redirects to `pageHref`.
 */
export interface CodePages {
  readonly codeHref: string
  readonly pageHref: string
}

/**
 * Name of the cookie that proves that a correct code was entered in this browser. Over https, the name gets a prefix.
 */
const plainName = "consent_proof"

/** How long the browser stays admitted after a correct code. */
export const proofLifetime = Duration.minutes(20)

/** Creates the functions that admit visitors, send and check codes, and prove a correct code by a cookie. */
export const makeProofs = Effect.fnUntraced(function* (isSecure: boolean) {
  const proofCookie = cookieName(plainName, isSecure)
  const authenticator = yield* ConsumerAuthenticator
  const keyring = yield* Keyring

  const proofsOf = (visit: string, { environment, userId }: Person, untilMillis: number) =>
    keyring.fingerprints(JSON.stringify(["consent-page.proof", visit, environment, userId, untilMillis]))

  const hasProof = Effect.fnUntraced(function* (
    { cookies }: HttpServerRequest.HttpServerRequest,
    visit: string,
    person: Person
  ) {
    const [, until, sent] = /^(\d{1,15})~(.{1,200})$/u.exec(cookies[proofCookie] ?? "") ?? []
    if (until === undefined || sent === undefined || Number(until) <= (yield* Clock.currentTimeMillis)) return false
    const proofs = yield* proofsOf(visit, person, Number(until))
    return proofs.some((proof) => sameText(proof, sent))
  })

  const visitOf = (
    { headers }: HttpServerRequest.HttpServerRequest,
    person: Person,
    link: ConsentTokenHash
  ): Visit => ({ person, link, headers: Redacted.make({ ...headers }, { label: "headers" }) })

  return {
    proofCookie,
    visitOf,
    sendCode: (asked: Visit) => sendCode(authenticator, asked),
    checkCode: (asked: Visit, code: Redacted.Redacted<string>) => checkCode(authenticator, asked, code),

    /**
     * Returns whether the visitor is admitted, must sign in or must enter a code. A valid proof cookie replaces the
     * code.
     */
    admit: Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, visit: string, asked: Visit) {
      const admission = yield* admit(authenticator, asked)
      if (admission._tag !== "CodeRequired") return admission
      const admitted: Admission = { _tag: "Admitted" }
      return (yield* hasProof(request, visit, asked.person)) ? admitted : admission
    }),

    /** Returns the cookie value for a browser that entered a correct code. */
    proofFor: Effect.fnUntraced(function* (visit: string, person: Person) {
      const untilMillis = (yield* Clock.currentTimeMillis) + Duration.toMillis(proofLifetime)
      const [proof] = yield* proofsOf(visit, person, untilMillis)
      return `${untilMillis}~${proof}`
    })
  }
})

/** Pattern of a code after removal of spaces and hyphens. */
const codeForm = /^\d{6}$/u

/**
 * `admitted` shows a page only to admitted visitors. `codeStep` sends and checks the codes that the host's
 * authenticator demands.
 */
export const make = Effect.fnUntraced(function* (kit: PageKit) {
  const proofs = yield* makeProofs(kit.isSecure)

  /** Renders the page that asks for a code, with an input field while a code is outstanding. */
  const drawCode = Effect.fnUntraced(function* (
    visit: Visited,
    { codeHref }: CodePages,
    code: CodeState,
    error?: MessageKey
  ) {
    const guard = yield* kit.guardField(visit)
    const screen = codeScreen(visit.frame, { guard, action: codeHref, code, error })
    return kit.drawIn(visit, screen, error === undefined ? 401 : 400)
  })

  /**
   * Runs `show` if the visitor is admitted. Otherwise renders the sign-in page, or runs `demand` if a code is required.
   */
  const admittedOr = Effect.fnUntraced(function* <E, E2>(
    visit: Visited,
    person: Person,
    show: Effect.Effect<Response, E>,
    demand: (code: CodeState) => Effect.Effect<Response, E2>
  ): Effect.fn.Return<Response, E | E2 | PageFailed> {
    const { link, request, visiting } = visit
    const admission = yield* proofs.admit(request, visiting.visit, proofs.visitOf(request, person, link))
    switch (admission._tag) {
      case "Admitted":
        return yield* show
      case "SignInRequired":
        return kit.drawIn(visit, signInScreen(visit.frame, admission.url), 401)
      case "CodeRequired":
        return yield* demand(admission.code)
    }
  })

  /** Checks the code in the form. Returns the key of an error message, or `undefined` if the code is correct. */
  const enter = Effect.fnUntraced(function* (
    { link, request }: Visited,
    person: Person,
    form: SentForm
  ): Effect.fn.Return<MessageKey | undefined, PageFailed> {
    const code = (form.first("code") ?? "").replace(/[\s-]/gu, "")
    if (!codeForm.test(code)) return "code.form"
    const asked = proofs.visitOf(request, person, link)
    switch (yield* proofs.checkCode(asked, Redacted.make(code, { label: "one-time code" }))) {
      case "Right":
        return undefined
      case "Wrong":
        return "code.wrong"
      case "Spent":
        return "code.spent"
    }
  })

  return {
    /** Runs `show` if the visitor is admitted. Otherwise renders the page for sign-in or a code. */
    admitted: <E>(
      visit: Visited,
      person: Person,
      pages: CodePages,
      show: Effect.Effect<Response, E>
    ): Effect.Effect<Response, E | PageFailed> =>
      admittedOr(visit, person, show, (code) => drawCode(visit, pages, code)),

    /**
     * Handles the two code forms: one requests a code, the other submits it. A correct code sets the proof cookie.
     * Redirects after sending a code, so a reload sends no further code.
     */
    codeStep: Effect.fnUntraced(function* (
      visit: Visited,
      person: Person,
      pages: CodePages
    ): Effect.fn.Return<Response, PageFailed> {
      const form = yield* readPageForm(kit, visit)
      const back = kit.seeOther(pages.pageHref)
      const step = Effect.gen(function* (): Effect.fn.Return<Response, PageFailed> {
        if (form.first("step") === "send") {
          yield* proofs.sendCode(proofs.visitOf(visit.request, person, visit.link))
          return back
        }
        const error = yield* enter(visit, person, form)
        if (error === undefined) {
          const proof = yield* proofs.proofFor(visit.visiting.visit, person)
          return kit.withCookie(back, proofs.proofCookie, proof)
        }
        return yield* admittedOr(visit, person, Effect.succeed(back), (code) => drawCode(visit, pages, code, error))
      })
      return yield* admittedOr(visit, person, Effect.succeed(back), () => step)
    })
  }
})

export type Admissions = Effect.Success<ReturnType<typeof make>>
