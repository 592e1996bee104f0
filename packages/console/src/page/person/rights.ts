import { RightsRequestId } from "@surety/core/Ids"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { PersonStore } from "@surety/core/person/PersonStore"
import { type RightsRequest, RightsRequestStatus } from "@surety/core/person/RightsRequest"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Redacted, Schema } from "effect"
import { rightsColumns, rightsWords } from "../../record/identityColumns.js"
import { changeForm } from "../../screen/changeForm.js"
import { csvButton, csvOf } from "../../screen/csv.js"
import { button, empty, facts, head, lookAgain, note, panel, pill, wholeId } from "../../screen/parts.js"
import { rightsState } from "../../screen/personStates.js"
import { filters, pager, sliceOf, table } from "../../screen/tables.js"
import { orMissing } from "../actingAs.js"
import { type ConsolePage, type PageView, recordMissing, type SentChange } from "../ConsolePage.js"
import { readFilter } from "../readFilter.js"
import { waitingErasure, waitingErasureNote } from "./waitingErasure.js"

const readStatus = Schema.decodeUnknownOption(RightsRequestStatus)
const readId = Schema.decodeUnknownEffect(RightsRequestId)

const atFirst: RightsRequestStatus = "OPEN"

const selected = (view: PageView) => readFilter(view, "status", "choice", readStatus, atFirst)

/** `rights`: people's requests about their data, earliest deadline first. */
export const rightsPage: ConsolePage = {
  path: "rights",
  room: "rights",
  role: "viewer",
  csv: csvOf<RightsRequest>("support", "rights-requests", rightsColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* RightsRequests).list(view.environment, yield* selected(view), page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const wanted = yield* selected(view)
    const found = yield* (yield* RightsRequests).list(view.environment, wanted, sliceOf(view))
    const { askedAt, dueAt, id, kind, person, state } = rightsColumns({ view })
    const rows = table<RightsRequest>("Rights requests", [kind, person, state, askedAt, dueAt, id], found.data)
    return {
      title: "Rights requests",
      body: html`${head({ title: "Rights requests", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [{ name: "status", label: "State", choices: { OPEN: "open", DONE: "done", REFUSED: "refused" }, atFirst }])}
<section class="panel" aria-label="Rights requests">${
        found.data.length === 0
          ? empty(
              "scale",
              wanted === atFirst ? "No open requests" : "No such requests",
              "People ask on their page for a copy, a correction or deletion. You have 30 days to answer."
            )
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}

/**
 * Returns the request named in the url, and whether its person is erased. Fails with `RecordMissing` if this
 * environment has no such request. An erasure closes all of a person's open requests.
 */
const requestIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readId(view.param("rightsId")))
  const request = yield* orMissing((yield* RightsRequests).get(view.environment, id))
  const person = yield* (yield* PersonStore).find(view.environment, request.serviceId)
  return { id, request, isErased: Option.exists(person, ({ erasedAt }) => erasedAt !== undefined) }
})

const whatToDo = (view: PageView, { kind, serviceId }: RightsRequest): Html => {
  const at = `people/${serviceId}`
  if (kind === "EXPORT") return button(view.href(`${at}/export`), "down", "Export…", "go")
  if (kind === "RECTIFY") return button(view.href(`${at}/correct`), "pen", "Correct…", "go")
  return button(view.href(`${at}/erase`), "x", "Erase…", "stop")
}

const closing = (status: "DONE" | "REFUSED") =>
  Effect.fnUntraced(function* (view: PageView, { reason }: SentChange) {
    const { id } = yield* requestIn(view)
    yield* (yield* RightsRequests)
      .close({ environment: view.environment, id, status, actor: view.session.operator, reason })
      .pipe(Effect.catchTag("RightsRequestNotFound", recordMissing))
    return {}
  })

/**
 * `rights/{id}`: one request. An open one has a link to the page that fulfils it, and forms to close it as done or
 * refused.
 */
export const rightsRequestPage: ConsolePage = {
  path: "rights/:rightsId",
  room: "rights",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const { id, isErased, request } = yield* requestIn(view)
    const { serviceId } = request
    const crumb = html`<a href="${view.href("rights")}">Rights requests</a> /`
    if (isErased) {
      return {
        title: "Rights request",
        body: html`${head({ crumb, title: "Rights request", pill: pill("off", "Closed"), meta: wholeId(id) })}
<section class="panel" aria-label="Closed">${empty("scale", "Its person was erased", html`The erasure closed every request of <a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>.`)}</section>`
      }
    }
    const [tone, word] = rightsState(request, view.now)
    const isOpen = request.status === "OPEN"
    const waiting = isOpen && request.kind === "ERASE" ? yield* waitingErasure(view, serviceId) : undefined
    return {
      title: rightsWords[request.kind],
      body: html`${head({
        crumb,
        title: html`<span class="soft">Asks for</span> ${rightsWords[request.kind].toLowerCase()}`,
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span><a href="${view.href(`people/${serviceId}`)}">${serviceId}</a></span>`,
        acts: html`${isOpen && whatToDo(view, request)}${lookAgain(view)}`
      })}
${waitingErasureNote(view, waiting)}<div class="cols"><div class="stack">${panel(
        "Asked",
        facts([
          ["When", view.times.moment(request.askedAt)],
          ["Due", view.times.moment(request.dueAt)],
          [
            "In their words",
            request.note === undefined
              ? "no words"
              : view.may("support")
                ? isolated(Redacted.value(request.note), 500)
                : "shown to support"
          ],
          ["Closed", request.closedAt === undefined ? undefined : view.times.moment(request.closedAt)],
          ["By", request.closedBy === undefined ? undefined : isolated(request.closedBy, 64)]
        ])
      )}</div><div class="stack">${
        isOpen
          ? html`${request.kind === "ERASE" && note("info", "Erasing the person closes this request. Close it here only if there is nothing to erase.")}<section class="panel" aria-label="Done"><header><h2>Close as done</h2></header>${changeForm(view, { name: "done", button: "Close as done", isSecond: request.kind === "ERASE", hint: "How you fulfilled it." })}</section><section class="panel" aria-label="Refuse"><header><h2>Refuse</h2></header>${changeForm(view, { name: "refuse", button: "Refuse", isSecond: true, hint: "Why it cannot be fulfilled, as you told the person." })}</section>`
          : undefined
      }</div></div>`
    }
  }),
  forms: {
    done: { role: commandRoles["rightsRequest.close"], done: "The request is closed.", run: closing("DONE") },
    refuse: { role: commandRoles["rightsRequest.close"], done: "The request is refused.", run: closing("REFUSED") }
  }
}
