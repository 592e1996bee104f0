import { ConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { GrantDuration, grantExpiry, policyDays } from "@surety/core/consent/grant/GrantDuration"
import { Grants } from "@surety/core/consent/grant/Grants"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { leadsOn } from "@surety/core/consent/request/DataRequest"
import type { OpenedLink } from "@surety/core/consent/request/DataRequests"
import { DateTime, Effect, Option, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { askScreen } from "../screen/AskScreen.js"
import { decidedScreen } from "../screen/DecidedScreen.js"
import type { MessageKey } from "../words/Catalog.js"
import type { Admissions, CodePages } from "./Admissions.js"
import { answering, type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"
import { paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

/** The person's choices on the form so far. */
interface Chosen {
  readonly ticked: ReadonlyArray<string>
  /** Duration chosen instead of the requested one. Undefined if none was chosen or the form's value is invalid. */
  readonly duration: GrantDuration | undefined
}

/**
 * Decodes the form's duration: `ONE_TIME`, or a number of days that `GrantDuration` allows. Any other value decodes to
 * `None`, including the empty string, which keeps the requested duration.
 */
const decodeDuration = Schema.decodeUnknownOption(
  Schema.Union([
    Schema.Literal("ONE_TIME"),
    Schema.String.check(Schema.isPattern(/^[1-9]\d{0,3}$/u)).pipe(
      Schema.decodeTo(Schema.NumberFromString),
      Schema.decodeTo(GrantDuration)
    )
  ])
)

/**
 * Adds the page on which a person decides: `GET` shows it, `POST` handles its forms. Also adds the page for the
 * person's one-time code.
 */
export const addAskRoutes = Effect.fnUntraced(function* (kit: PageKit, admissions: Admissions) {
  const router = yield* HttpRouter.HttpRouter
  const person = yield* PersonConsents
  const grants = yield* Grants
  const policy = yield* ConsentPolicy

  const pagesOf = ({ query, token }: Visited): CodePages => ({
    codeHref: kit.hrefOf(paths.askCode, token, query),
    pageHref: kit.hrefOf(paths.ask, token, query)
  })

  const drawQuestion = Effect.fnUntraced(function* (
    visit: Visited,
    question: OpenedLink,
    state: Chosen & { readonly error: MessageKey | undefined }
  ) {
    const screen = askScreen(visit.frame, {
      question,
      previews: Option.getOrUndefined(yield* person.previews(question.request)),
      lastsUntil: grantExpiry(yield* DateTime.now, question.request.duration, policy),
      longestDays: policyDays(policy),
      guard: yield* kit.guardField(visit),
      action: kit.hrefOf(paths.ask, visit.token, visit.query),
      ...state
    })
    return kit.drawIn(visit, screen, state.error === undefined ? 200 : 400)
  })

  const drawDecided = Effect.fnUntraced(function* (visit: Visited, question: OpenedLink, isRepeated: boolean) {
    const { grantId } = question.request
    const grant =
      grantId === undefined ? Option.none() : yield* Effect.option(grants.get({ id: grantId, scope: undefined }))
    const { denialReason } = question.request
    const isStopped = denialReason === "NOT_ME" || question.blockedAs !== undefined
    const screen = decidedScreen(visit.frame, {
      question,
      stop:
        denialReason === "DECLINED"
          ? { guard: yield* kit.guardField(visit), action: kit.hrefOf(paths.ask, visit.token, visit.query) }
          : undefined,
      isStopped: denialReason !== undefined && isStopped,
      grant: Option.getOrUndefined(grant),
      now: yield* DateTime.now,
      managementHref: leadsOn(question.request)
        ? kit.hrefOf(paths.manage, yield* person.managementToken(visit.token), visit.query)
        : undefined,
      isRepeated
    })
    return kit.drawIn(visit, screen, isRepeated ? 409 : 200)
  })

  const show = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const question = yield* person.question(visit.token)
    const drawn =
      question.request.status === "PENDING"
        ? drawQuestion(visit, question, { ticked: [], duration: undefined, error: undefined })
        : drawDecided(visit, question, false)
    return yield* admissions.admitted(visit, question.request, pagesOf(visit), drawn)
  })

  /** Returns the effect that approves or denies the request, or `undefined` for an unknown `decision`. */
  const decide = (
    visit: Visited,
    question: OpenedLink,
    decision: string | undefined,
    { duration, ticked: fields }: Chosen
  ) => {
    const { language, version } = visit.catalog
    const notice = { version, language }
    switch (decision) {
      case "approve":
        return person.approve(question, { fields, duration, notice })
      case "deny":
        return person.deny(question, { reason: "DECLINED", notice })
      case "not_me":
        return person.deny(question, { reason: "NOT_ME", notice })
      default:
        return undefined
    }
  }

  const decideOn = Effect.fnUntraced(function* (
    visit: Visited,
    question: OpenedLink
  ): Effect.fn.Return<Response, PageFailed> {
    const form = yield* readPageForm(kit, visit)
    const lasts = form.first("duration") ?? ""
    const duration = decodeDuration(lasts)
    const chosen: Chosen = { ticked: form.all("field"), duration: Option.getOrUndefined(duration) }
    const language = form.first("lang")
    const decision = form.first("decision")
    if (question.request.status !== "PENDING") {
      if (decision !== "stop_asking" || question.request.denialReason === undefined) {
        return yield* drawDecided(language === undefined ? visit : kit.inLanguage(visit, language), question, true)
      }
      yield* person.stopAsking(question)
      return kit.seeOther(kit.hrefOf(paths.ask, visit.token, visit.query))
    }
    if (language !== undefined) {
      return yield* drawQuestion(kit.inLanguage(visit, language), question, { ...chosen, error: undefined })
    }
    // If the duration is invalid, makes no decision, since the consent could last longer than the person chose.
    const decided = lasts !== "" && Option.isNone(duration) ? undefined : decide(visit, question, decision, chosen)
    if (decided === undefined) return yield* drawQuestion(visit, question, { ...chosen, error: undefined })
    return yield* decided.pipe(
      Effect.as(kit.seeOther(kit.hrefOf(paths.ask, visit.token, visit.query))),
      Effect.catchTags({
        ConsentRequestInvalid: () =>
          drawQuestion(visit, question, {
            ...chosen,
            error: chosen.ticked.length === 0 ? "ask.tickOne" : "ask.tickKnown"
          }),
        DataRequestDecided: () =>
          Effect.flatMap(person.question(visit.token), (stands) => drawDecided(visit, stands, true))
      })
    )
  })

  const decideRoute = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const question = yield* person.question(visit.token)
    return yield* admissions.admitted(visit, question.request, pagesOf(visit), decideOn(visit, question))
  })

  const codeRoute = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const { request } = yield* person.question(visit.token)
    return yield* admissions.codeStep(visit, request, pagesOf(visit))
  })

  yield* router.add("GET", paths.ask, answering(kit, show))
  yield* router.add("POST", paths.ask, answering(kit, decideRoute))
  yield* router.add("GET", paths.askCode, answering(kit, show))
  yield* router.add("POST", paths.askCode, answering(kit, codeRoute))
})
