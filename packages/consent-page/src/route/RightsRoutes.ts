import { asRead } from "@surety/core/consent/grant/ConsentPolicy"
import type { Manager } from "@surety/core/consent/link/ManagementLinks"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { longestNote, RightsRequestKind } from "@surety/core/person/RightsRequest"
import { RightsRequests } from "@surety/core/person/RightsRequests"
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { rightsScreen } from "../screen/RightsScreen.js"
import type { Admissions, CodePages } from "./Admissions.js"
import { answering, type PageFailed, type PageKit, readPageForm, type Visited } from "./PageKit.js"
import { paths } from "./paths.js"

const readKind = Schema.decodeUnknownOption(RightsRequestKind)

const unknown = { _tag: "ConsentLinkUnknown" } as const

/**
 * Normalises the person's note for display. Truncates it to `longestNote` UTF-16 code units, without splitting a
 * surrogate pair. Returns `undefined` if no text remains.
 */
const noteOf = (written: string | undefined): Redacted.Redacted<string> | undefined => {
  const note = asRead((written ?? "").toWellFormed().replaceAll("\u0000", " "))
  return note === "" ? undefined : Redacted.make(note.slice(0, longestNote).replace(/\p{Surrogate}$/u, ""))
}

/**
 * Adds the page on which a person requests a copy or correction of their details, or erasure. `GET` shows the page, and
 * `POST` makes the request.
 */
export const addRightsRoutes = Effect.fnUntraced(function* (kit: PageKit, admissions: Admissions) {
  const router = yield* HttpRouter.HttpRouter
  const person = yield* PersonConsents
  const rights = yield* RightsRequests

  const linked = ({ query, token }: Visited, template: string, more: Readonly<Record<string, string>> = {}): string => {
    const params = new URLSearchParams([...new URLSearchParams(query), ...Object.entries(more)]).toString()
    return kit.hrefOf(template, token, params === "" ? "" : `?${params}`)
  }

  const pagesOf = (visit: Visited): CodePages => ({
    codeHref: linked(visit, paths.manageCode),
    pageHref: linked(visit, paths.manage)
  })

  const forManager = (
    draw: (visit: Visited, manager: Manager) => Effect.Effect<HttpServerResponse.HttpServerResponse, PageFailed>
  ) =>
    answering(kit, (visit) =>
      Effect.flatMap(person.open(visit.token), (manager) =>
        admissions.admitted(visit, manager, pagesOf(visit), draw(visit, manager))
      )
    )

  const show = Effect.fnUntraced(function* (visit: Visited, manager: Manager) {
    const asked = readKind(kit.queryOf(visit.request).get("asked"))
    const screen = rightsScreen(visit.frame, {
      isTest: manager.environment === "TEST",
      guard: yield* kit.guardField(visit),
      asked: Option.getOrUndefined(asked),
      hrefs: { action: linked(visit, paths.rights), back: linked(visit, paths.manage) }
    })
    return kit.drawIn(visit, screen)
  })

  const ask = Effect.fnUntraced(function* (visit: Visited, { environment, serviceId, userId }: Manager) {
    const form = yield* readPageForm(kit, visit)
    const kind = readKind(form.first("right"))
    if (Option.isNone(kind)) return kit.seeOther(linked(visit, paths.rights))
    const note = noteOf(form.first("note"))
    const asked = yield* rights.ask({
      environment,
      userId,
      serviceId,
      kind: kind.value,
      ...(note === undefined ? {} : { note })
    })
    // The person has been erased in the meantime.
    if (Option.isNone(asked)) return yield* Effect.fail(unknown)
    return kit.seeOther(linked(visit, paths.rights, { asked: kind.value }))
  })

  yield* router.add("GET", paths.rights, forManager(show))
  yield* router.add("POST", paths.rights, forManager(ask))
})
