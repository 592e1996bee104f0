import { Consents } from "@surety/core/consent/Consents"
import type { ConsentQuestion } from "@surety/core/consent/Decisions"
import { ConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { leadsOn } from "@surety/core/consent/link/ConsentLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { DateTime, Effect, Option } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { askScreen } from "../screen/AskScreen.js"
import { decidedScreen } from "../screen/DecidedScreen.js"
import type { MessageKey } from "../words/Catalog.js"
import { answering, type PageFailed } from "./answering.js"
import { admitted, type CodePages, codeStep } from "./codeSteps.js"
import { readForm } from "./PageForm.js"
import type { PageKit, Visited } from "./PageKit.js"
import { paths } from "./paths.js"

type Response = HttpServerResponse.HttpServerResponse

/** The page on which a person decides: `GET` shows, `POST` decides. */
export const addAskRoutes = Effect.fnUntraced(function* (kit: PageKit) {
  const router = yield* HttpRouter.HttpRouter
  const person = yield* PersonConsents
  const consents = yield* Consents
  const policy = yield* ConsentPolicy

  const pagesOf = ({ query, token }: Visited): CodePages => ({
    codeHref: kit.hrefOf(paths.askCode, token, query),
    pageHref: kit.hrefOf(paths.ask, token, query)
  })

  const drawQuestion = Effect.fnUntraced(function* (
    visit: Visited,
    question: ConsentQuestion,
    state: { readonly ticked: ReadonlyArray<string>; readonly error: MessageKey | undefined }
  ) {
    const screen = askScreen(visit.frame, {
      question,
      previews: Option.getOrUndefined(yield* person.previews(question.request)),
      lastsUntil: DateTime.addDuration(yield* DateTime.now, policy.grantLifetime),
      guard: yield* kit.guardField(visit),
      action: kit.hrefOf(paths.ask, visit.token, visit.query),
      ...state
    })
    return kit.drawIn(visit, screen, state.error === undefined ? 200 : 400)
  })

  const drawDecided = Effect.fnUntraced(function* (visit: Visited, question: ConsentQuestion, isRepeated: boolean) {
    const { grantId } = question.request
    const grant =
      grantId === undefined ? Option.none() : yield* Effect.option(consents.getGrant({ id: grantId, scope: undefined }))
    const { denialReason } = question.request
    const isStopped = denialReason === "NOT_ME" || kit.queryOf(visit.request).has("stopped")
    const screen = decidedScreen(visit.frame, {
      question,
      stop:
        denialReason === "DECLINED"
          ? { guard: yield* kit.guardField(visit), action: kit.hrefOf(paths.ask, visit.token, visit.query) }
          : undefined,
      isStopped: denialReason !== undefined && isStopped,
      lastsUntil: Option.getOrUndefined(Option.map(grant, ({ expiresAt }) => expiresAt)),
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
        ? drawQuestion(visit, question, { ticked: [], error: undefined })
        : drawDecided(visit, question, false)
    return yield* admitted(kit, visit, question.request, pagesOf(visit), drawn)
  })

  /** The decision that a button stands for. */
  const decide = (visit: Visited, decision: string | undefined, fields: ReadonlyArray<string>) => {
    const { language, version } = visit.catalog
    const notice = { version, language }
    switch (decision) {
      case "approve":
        return person.approve(visit.token, { fields, notice })
      case "deny":
        return person.deny(visit.token, { reason: "DECLINED", notice })
      case "not_me":
        return person.deny(visit.token, { reason: "NOT_ME", notice })
      default:
        return undefined
    }
  }

  const decideOn = Effect.fnUntraced(function* (
    visit: Visited,
    question: ConsentQuestion
  ): Effect.fn.Return<Response, PageFailed> {
    const form = yield* readForm(kit, visit)
    const ticked = form.all("field")
    const decision = form.first("decision")
    if (decision === "stop_asking" && question.request.denialReason !== undefined) {
      yield* person.stopAsking(visit.token)
      const query = visit.query === "" ? "?stopped" : `${visit.query}&stopped`
      return kit.seeOther(kit.hrefOf(paths.ask, visit.token, query))
    }
    const decided = decide(visit, decision, ticked)
    if (decided === undefined) return yield* drawQuestion(visit, question, { ticked, error: undefined })
    return yield* decided.pipe(
      Effect.as(kit.seeOther(kit.hrefOf(paths.ask, visit.token, visit.query))),
      Effect.catchTags({
        ConsentRequestInvalid: () =>
          drawQuestion(visit, question, {
            ticked,
            error: ticked.length === 0 ? "ask.tickOne" : "ask.tickKnown"
          }),
        DataRequestDecided: () =>
          Effect.flatMap(person.question(visit.token), (stands) => drawDecided(visit, stands, true))
      })
    )
  })

  const decideRoute = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const question = yield* person.question(visit.token)
    return yield* admitted(kit, visit, question.request, pagesOf(visit), decideOn(visit, question))
  })

  const codeRoute = Effect.fnUntraced(function* (visit: Visited): Effect.fn.Return<Response, PageFailed> {
    const { request } = yield* person.question(visit.token)
    return yield* codeStep(kit, visit, request, pagesOf(visit))
  })

  yield* router.add("GET", paths.ask, answering(kit, show))
  yield* router.add("POST", paths.ask, answering(kit, decideRoute))
  yield* router.add("GET", paths.askCode, answering(kit, show))
  yield* router.add("POST", paths.askCode, answering(kit, codeRoute))
})
