import type { Delivery, DeliveryAttempt } from "@surety/core/event/Delivery"
import { EventArchived } from "@surety/core/event/EventArchived"
import { type DeliveryHistory, EventLog } from "@surety/core/event/EventLog"
import { EventId, MerchantId } from "@surety/core/Ids"
import { eventResent } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option, Schema } from "effect"
import { attemptColumns, deliveryColumns } from "../record/eventColumns.js"
import { changeForm } from "../screen/changeForm.js"
import { noNames } from "../screen/columns.js"
import { csvLink, csvOfAll } from "../screen/csv.js"
import { attemptMoment } from "../screen/deliveryParts.js"
import { empty, facts, head, lookAgain, panel, pill, timeline, wholeId } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { actingAs, orMissing } from "./actingAs.js"
import { type ConsolePage, FormRefused, formRefused, type PageView, RecordMissing } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { placeOf } from "./placeOf.js"

const readId = Schema.decodeUnknownEffect(EventId)

/**
 * Placeholder merchant id to look up an event that `placeOf` does not find. The lookup shows whether the event's month
 * is archived. The id belongs to no merchant. With `@surety/cells`, only the home cell's archive is checked.
 */
const anyMerchant = MerchantId.fromUuid("00000000-0000-7000-8000-000000000000")

/**
 * Finds the event whose id is in the url, in this environment. If the event is not found but the month in its id is
 * archived, returns the id and the month. Fails with `RecordMissing` if neither applies.
 */
const eventIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readId(view.param("eventId")))
  const log = yield* EventLog
  const scope = yield* Effect.catchTag(placeOf(view, id), "RecordMissing", () =>
    Effect.succeed({ merchantId: anyMerchant, environment: view.environment })
  )
  const looked = yield* log.find(scope, id).pipe(
    Effect.map((found) => ({ _tag: "Kept", scope, found }) as const),
    Effect.catchTag("EventArchived", ({ month }) => Effect.succeed({ _tag: "Archived", id, month } as const))
  )
  if (looked._tag === "Archived") return looked
  return Option.isNone(looked.found)
    ? yield* new RecordMissing()
    : ({ _tag: "Kept", scope, event: looked.found.value } as const)
})

/** Builds the screen for an event that may be archived. Only a restore of its month shows whether the event exists. */
const archivedScreen = (view: PageView, { id, month }: { readonly id: EventId; readonly month: string }) => ({
  title: "Archived event",
  body: html`${head({
    crumb: html`<a href="${view.href("deliveries")}">Deliveries</a> /`,
    title: "Event",
    pill: pill("off", "Archived"),
    meta: wholeId(id)
  })}
<section class="panel" aria-label="Archived">${empty("book", `Events of ${month} are in the archive`, html`They cannot be read or sent until the month is restored with <code>surety archive restore</code>, on the server.`)}</section>`
})

const lookedAt = (body: string): string => {
  const shown = body.slice(0, 4000)
  return shown.length < body.length ? `${shown}…` : shown
}

const deliveriesPanel = (view: PageView, deliveries: ReadonlyArray<DeliveryHistory>): Html => {
  const columns = deliveryColumns({ view, names: noNames })
  return panel(
    "Deliveries",
    deliveries.length === 0
      ? empty("plug", "No deliveries", "No endpoint subscribed to this event. The merchant can still poll it.")
      : table<Delivery>(
          "Deliveries",
          [{ ...columns.endpoint, kind: "key" }, columns.state, columns.attempts, columns.next],
          deliveries.map(({ delivery }) => delivery)
        ),
    { csv: deliveries.length === 0 ? undefined : csvLink(view, "deliveries", "deliveries") }
  )
}

const deliveriesOf = Effect.fnUntraced(function* (view: PageView) {
  const looked = yield* eventIn(view)
  if (looked._tag === "Archived") return yield* new RecordMissing()
  return yield* (yield* EventLog).deliveries(looked.scope, looked.event.id)
})

/** `events/{id}`: an event with every attempt and the start of its body, and a form to resend it. */
export const eventPage: ConsolePage = {
  path: "events/:eventId",
  room: "deliveries",
  role: "viewer",
  tables: {
    deliveries: csvOfAll<Delivery>("support", "deliveries", deliveryColumns, (view) =>
      Effect.map(deliveriesOf(view), (all) => all.map(({ delivery }) => delivery))
    ),
    attempts: csvOfAll<DeliveryAttempt>("support", "attempts", attemptColumns, (view) =>
      Effect.map(deliveriesOf(view), (all) => all.flatMap(({ attempts }) => attempts))
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const looked = yield* eventIn(view)
    if (looked._tag === "Archived") return archivedScreen(view, looked)
    const { event, scope } = looked
    const deliveries = yield* (yield* EventLog).deliveries(scope, event.id)
    const names = yield* merchantNames([event])
    const moments = deliveries.flatMap(({ attempts, delivery }) =>
      attempts.map((attempt) => attemptMoment(view, delivery, attempt))
    )
    return {
      title: event.topic,
      body: html`${head({
        crumb: html`<a href="${view.href("deliveries")}">Deliveries</a> /`,
        title: event.topic,
        meta: html`${wholeId(event.id)}<span><a href="${view.href(`merchants/${event.merchantId}`)}">${names.of(event.merchantId)}</a></span>`,
        acts: lookAgain(view)
      })}
<div class="cols"><div class="stack">${deliveriesPanel(view, deliveries)}${moments.length > 0 && panel("Attempts", timeline(view, moments), { csv: csvLink(view, "attempts", "attempts") })}${panel(
        "Body",
        html`<div class="pad"><pre tabindex="0">${lookedAt(event.body)}</pre></div>`,
        { aside: "sent byte for byte" }
      )}</div><div class="stack">${panel(
        "Details",
        facts([
          ["Occurred", view.times.moment(event.occurredAt)],
          ["Sequence", html`<span class="mono">${event.sequence}</span>`],
          ["Test", event.testFor === undefined ? undefined : "yes, not a real event"]
        ])
      )}<section class="panel" aria-label="Resend"><header><h2>Resend</h2></header>${changeForm(view, {
        name: "resend",
        button: "Resend",
        hint: "For example: the merchant fixed the endpoint."
      })}</section></div></div>`
    }
  }),
  forms: {
    resend: {
      role: commandRoles["event.resend"],
      done: "The event is queued again.",
      run: Effect.fnUntraced(function* (view, sent) {
        const looked = yield* eventIn(view)
        if (looked._tag === "Archived") return yield* formRefused(new EventArchived({ month: looked.month }))
        const { event, scope } = looked
        const resent = (yield* EventLog).resend(scope, event.id, undefined, view.now)
        const due = yield* actingAs(view, sent, resent, (count) => eventResent(scope, event.id, count))
        return due === 0
          ? yield* new FormRefused({ message: "No enabled endpoint subscribes to this event; nothing was queued." })
          : {}
      })
    }
  }
}
