import { asRead } from "@surety/core/consent/grant/ConsentPolicy"
import type { Environment } from "@surety/core/Environment"
import { isSound } from "@surety/core/ledger/AuditRun"
import { Audits } from "@surety/core/ledger/Audits"
import { includesRole, type OperatorRole } from "@surety/core/operator/Operator"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { Overview } from "@surety/core/overview/Overview"
import { pathOf } from "@surety/core/PlainPath"
import { guardField } from "@surety/page-kit/form/FormGuard"
import { readSentForm, type SentForm } from "@surety/page-kit/form/SentForm"
import { type Html, html } from "@surety/page-kit/Html"
import { pageAnswer, seeOther } from "@surety/page-kit/PageAnswers"
import { DateTime, Effect, Option } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { consolePaths, environmentIn, pageTemplate } from "../ConsolePaths.js"
import {
  type ConsolePage,
  type ConsoleServices,
  type CsvTable,
  type FilterUnreadable,
  FormRefused,
  type PageFailure,
  type PageScreen,
  type PageView,
  RecordMissing,
  type Refusal,
  sayingIn
} from "../page/ConsolePage.js"
import { pages } from "../page/pages.js"
import { reasonLength } from "../screen/changeForm.js"
import { consoleLayout } from "../screen/Layout.js"
import * as RefusalScreens from "../screen/refusalScreens.js"
import { type ConsoleKit, fileAnswer, queryOf, searchOf } from "./ConsoleKit.js"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

const roomPaths: ReadonlySet<string> = new Set(pages.map(({ path }) => path))

export const mayAs = (roles: ReadonlyArray<OperatorRole>, needed: OperatorRole): boolean =>
  roles.some((role) => includesRole(role, needed))

/** Subject of a form's token: the exact path and the form's name. A token is thus valid for one form at one path. */
const subjectOf = (path: string, form: string): string => JSON.stringify([path, form])

const formField = "form"

const queryText = (query: Readonly<Record<string, string | undefined>>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") params.set(name, value)
  return params.size === 0 ? "" : `?${params}`
}

const encoded = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(segment))
    .join("/")

const reasonIn = (form: SentForm): Effect.Effect<string, FormRefused> => {
  const reason = asRead((form.first("reason") ?? "").toWellFormed().replaceAll("\u0000", " "))
  const length = [...reason].length
  return length >= reasonLength.least && length <= reasonLength.most
    ? Effect.succeed(reason)
    : Effect.fail(
        new FormRefused({
          message: `Write a reason of ${reasonLength.least} to ${reasonLength.most} characters; this one has ${length}.`,
          field: "reason"
        })
      )
}

const csvIn = ({ csv, tables = {} }: ConsolePage, name: string | null): CsvTable | undefined => {
  if (name === null) return csv
  return Object.hasOwn(tables, name) ? tables[name] : undefined
}

/** A signed-in operator's request to a page. */
interface Visit {
  readonly request: Request
  readonly page: ConsolePage
  readonly environment: Environment
  readonly session: OperatorSession
  readonly params: Readonly<Record<string, string | undefined>>
  /** Requested path without the base path, such as `/console/live/refunds`. */
  readonly path: string
}

export const addPageRoutes = Effect.fnUntraced(function* (kit: ConsoleKit) {
  const router = yield* HttpRouter.HttpRouter
  const services = yield* Effect.context<ConsoleServices>()
  const overview = yield* Overview
  const audits = yield* Audits

  const viewOf = Effect.fnUntraced(function* (visit: Visit, refusal?: Refusal) {
    const { environment, page, params, path, request, session } = visit
    const guards = new Map<string, Html>()
    for (const form of Object.keys(page.forms ?? {})) {
      const field = yield* kit.guard.field(session.id, subjectOf(path, form))
      const owner = yield* kit.drafts.field(session.operator, path, form)
      guards.set(form, html`${field}${owner}<input type="hidden" name="${formField}" value="${form}">`)
    }
    const base = `${consolePaths.home}/${environment.toLowerCase()}/`
    const view: PageView = {
      environment,
      session,
      now: yield* DateTime.now,
      times: kit.times,
      param: (name) => params[name] ?? "",
      query: queryOf(request),
      href: (to, query = {}) => kit.hrefOf(base) + encoded(to) + queryText(query),
      hereWith: (query) => kit.hrefOf(path) + queryText(query),
      may: (role) => mayAs(session.roles, role),
      guardOf: (form) => guards.get(form) ?? html``,
      refusal
    }
    return view
  })

  const draw = Effect.fnUntraced(function* (
    visit: Visit,
    view: PageView,
    screen: PageScreen,
    status = 200,
    refused?: string
  ) {
    const { environment, page, session } = visit
    const lastAudit = yield* audits.last
    const sender = pages.find(({ path }) => path === view.query.get("of")) ?? page
    const sent = view.query.get("done") ?? ""
    const done = Object.hasOwn(sender.forms ?? {}, sent) ? sender.forms?.[sent]?.done : undefined
    const text = consoleLayout(
      roomPaths,
      {
        frame: kit.frame,
        environment,
        session,
        room: page.room,
        attention: yield* overview.attention(environment),
        zone: kit.times.zoneName(view.now),
        sought: page.path === "search" ? (view.query.get("q") ?? "") : "",
        signOut: yield* kit.guard.field(session.id, consolePaths.signOut),
        done: status === 200 ? done : undefined,
        refused,
        broken: Option.isSome(lastAudit) && !isSound(lastAudit.value)
      },
      screen
    )
    return pageAnswer(text, status, { "content-language": "en" })
  })

  const forbid = Effect.fnUntraced(function* (visit: Visit, role: OperatorRole) {
    const view = yield* viewOf(visit)
    yield* Effect.logWarning("Operator refused in the console", {
      operator: visit.session.operator,
      page: visit.page.path,
      role
    })
    return yield* draw(visit, view, RefusalScreens.forbiddenScreen(view, role), 403)
  })

  /**
   * Restores the draft of a form that the operator submitted to this page after their session had ended. `wasShown`
   * returns true once the page has shown the draft's entries, or if this operator cannot open the draft. When it
   * returns true, the caller deletes the draft's cookie.
   */
  const draftFor = Effect.fnUntraced(function* ({ page, path, request, session }: Visit) {
    if (request.cookies[kit.drafts.cookie] === undefined) return undefined
    const draft = yield* kit.drafts.read(request, session.operator)
    let wasShown = Option.isNone(draft)
    if (Option.isNone(draft) || draft.value.path !== path) return { refusal: undefined, wasShown: () => wasShown }
    const { fields, form } = draft.value
    const known = Object.hasOwn(page.forms ?? {}, form) ? page.forms?.[form] : undefined
    const refusal: Refusal | undefined =
      known === undefined || !mayAs(session.roles, known.role)
        ? undefined
        : {
            form,
            message:
              "Your session had ended, so nothing was done. Here is what you wrote: look at it, and send it again.",
            field: "reason",
            isDraft: true,
            written: (field) => {
              wasShown = true
              return Object.hasOwn(fields, field) ? fields[field] : undefined
            }
          }
    return { refusal, wasShown: () => wasShown }
  })

  const show = Effect.fnUntraced(function* (visit: Visit, refusal?: Refusal) {
    const draft = refusal === undefined ? yield* draftFor(visit) : undefined
    const answer = yield* showPage(visit, refusal ?? draft?.refusal)
    return draft?.wasShown() === true ? kit.withoutDraft(answer) : answer
  })

  const showPage = Effect.fnUntraced(function* (visit: Visit, refusal?: Refusal) {
    const said = { inForm: refusal === undefined || refusal.isDraft === true }
    const view = yield* viewOf(visit, refusal === undefined ? undefined : sayingIn(refusal, said))
    if ((refusal === undefined || refusal.isDraft === true) && view.query.get("format") === "csv") {
      const csv = csvIn(visit.page, view.query.get("table"))
      if (csv === undefined) return yield* new RecordMissing()
      if (!mayAs(visit.session.roles, csv.role)) return yield* forbid(visit, csv.role)
      return fileAnswer(yield* Effect.provideContext(csv.rows(view), services))
    }
    const shown = yield* Effect.provideContext(visit.page.show(view), services)
    if ("_tag" in shown) return seeOther(shown.href)
    const status = refusal === undefined || refusal.isDraft === true ? 200 : 422
    return yield* draw(visit, view, shown, status, said.inForm ? undefined : refusal?.message)
  })

  /** Handles a form that a signed-in operator submitted to a page. */
  const send = Effect.fnUntraced(function* (visit: Visit) {
    const { page, path, request, session } = visit
    const form = yield* Effect.option(readSentForm(request))
    if (Option.isNone(form)) return yield* stale(visit)
    const name = form.value.first(formField) ?? ""
    const known = Object.hasOwn(page.forms ?? {}, name) ? page.forms?.[name] : undefined
    const isGenuine = yield* kit.guard.isOfVisit(
      request,
      session.id,
      form.value.first(guardField),
      subjectOf(path, name)
    )
    if (known === undefined || !isGenuine) return yield* stale(visit)
    if (!mayAs(session.roles, known.role)) return yield* forbid(visit, known.role)
    const view = yield* viewOf(visit)
    const run = Effect.flatMap(reasonIn(form.value), (reason) => known.run(view, { form: form.value, reason }))
    return yield* Effect.provideContext(run, services).pipe(
      Effect.map(({ file, href }) => {
        if (file !== undefined) return fileAnswer(file)
        const to = href ?? view.hereWith({})
        const done = new URLSearchParams({ done: name, ...(href === undefined ? {} : { of: page.path }) })
        return seeOther(`${to}${to.includes("?") ? "&" : "?"}${done}`)
      }),
      Effect.catchTag("FormRefused", ({ field = "reason", message }) =>
        show(visit, { form: name, message, field, written: form.value.first })
      )
    )
  })

  const stale = Effect.fnUntraced(function* (visit: Visit) {
    const view = yield* viewOf(visit)
    return yield* draw(visit, view, RefusalScreens.oldFormScreen(view), 403)
  })

  const missing = (visit: Visit) =>
    Effect.flatMap(viewOf(visit), (view) => draw(visit, view, RefusalScreens.missingScreen(view), 404))

  const unreadable = (visit: Visit, failure: FilterUnreadable) =>
    Effect.flatMap(viewOf(visit), (view) => draw(visit, view, RefusalScreens.filterScreen(view, failure), 400))

  const answering =
    (page: ConsolePage, answer: (visit: Visit) => Effect.Effect<Response, PageFailure>) =>
    (request: Request): Effect.Effect<Response, never, HttpRouter.RouteContext> =>
      Effect.gen(function* () {
        const params = yield* HttpRouter.params
        const environment = environmentIn(params.environment ?? "")
        if (Option.isNone(environment)) return kit.solo(RefusalScreens.noEnvironmentScreen, 404)
        const session = yield* kit.sessionOf(request)
        const path = pathBelow(kit.settings.basePath, request)
        if (Option.isNone(session)) {
          const next = request.method === "GET" ? path + searchOf(request) : path
          const toSignIn = kit.withoutSession(kit.seeOther(`${consolePaths.signIn}?${new URLSearchParams({ next })}`))
          if (request.method !== "POST") return toSignIn
          const form = yield* Effect.option(readSentForm(request))
          if (Option.isNone(form)) return toSignIn
          const draft = yield* kit.drafts.keep(request, path, form.value, form.value.names)
          return Option.isNone(draft) ? toSignIn : kit.withDraft(toSignIn, draft.value)
        }
        const visit: Visit = { request, page, environment: environment.value, session: session.value, params, path }
        if (!mayAs(session.value.roles, page.role)) return yield* forbid(visit, page.role)
        return yield* answer(visit).pipe(
          Effect.catchTag("RecordMissing", () => missing(visit)),
          Effect.catchTag("FilterUnreadable", (failure) => unreadable(visit, failure))
        )
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.map(Effect.logError("Console page failed", cause), () =>
            kit.solo(RefusalScreens.unavailableScreen, 503, { "retry-after": "30" })
          )
        )
      )

  for (const page of pages) {
    const template = pageTemplate(page.path)
    yield* router.add("GET", template, answering(page, show))
    if (page.forms !== undefined) yield* router.add("POST", template, answering(page, send))
  }
})

/** Returns the request's path below the base path. The router matched the path, so it begins with the base path. */
const pathBelow = (basePath: string, { originalUrl }: Request): string => pathOf(originalUrl).slice(basePath.length)
