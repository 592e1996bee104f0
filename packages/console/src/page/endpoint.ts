import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { EndpointEvents } from "@surety/core/event/EndpointEvents"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId } from "@surety/core/Ids"
import { endpointChanged, endpointEnabled, endpointUpdated } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText, websiteHost } from "@surety/page-kit/shownText"
import { DateTime, Effect, Schema } from "effect"
import { attemptColumns } from "../record/eventColumns.js"
import { endpointState } from "../record/merchantColumns.js"
import { changeForm } from "../screen/changeForm.js"
import { csvLink, csvOfAll } from "../screen/csv.js"
import {
  ageWords,
  button,
  empty,
  facts,
  head,
  lookAgain,
  note,
  numberOf,
  panel,
  pill,
  wholeId
} from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { actingAs, orMissing } from "./actingAs.js"
import {
  type ConsolePage,
  FormRefused,
  formRefused,
  type PageView,
  RecordMissing,
  recordMissing
} from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { placeOf } from "./placeOf.js"

const readId = Schema.decodeUnknownEffect(EndpointId)

const endpointIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readId(view.param("endpointId")))
  const { merchantId } = yield* placeOf(view, id)
  const endpoint = yield* orMissing((yield* WebhookEndpoints).get(merchantId, id))
  return endpoint.environment === view.environment ? endpoint : yield* new RecordMissing()
})

const countTo = 1000

const healthIn = Effect.fnUntraced(function* (view: PageView) {
  const endpoint = yield* endpointIn(view)
  return { endpoint, health: yield* (yield* EventLog).endpointHealth(endpoint, endpoint.id, view.now, countTo) }
})

const attemptsPanel = (view: PageView, attempts: ReadonlyArray<DeliveryAttempt>): Html => {
  const columns = attemptColumns({ view })
  return panel(
    "Latest attempts",
    attempts.length === 0
      ? empty("send", "Nothing sent yet", "Send a test: it moves no money and is in no list.")
      : table<DeliveryAttempt>(
          "Attempts",
          [columns.startedAt, columns.answer, columns.attempt, columns.said],
          attempts
        ),
    { csv: attempts.length === 0 ? undefined : csvLink(view, "attempts", "latest attempts") }
  )
}

const changeRefused = {
  EndpointNotFound: recordMissing,
  MerchantNotFound: recordMissing,
  MerchantNotActive: formRefused
}

/**
 * `endpoints/{id}`: an endpoint's health. Has forms to send a test event and recover missed deliveries or, if the
 * endpoint is disabled, to enable it.
 */
export const endpointPage: ConsolePage = {
  path: "endpoints/:endpointId",
  room: "deliveries",
  role: "viewer",
  tables: {
    attempts: csvOfAll<DeliveryAttempt>("support", "attempts", attemptColumns, (view) =>
      Effect.map(healthIn(view), ({ health }) => health.attempts)
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const { endpoint, health } = yield* healthIn(view)
    const names = yield* merchantNames([endpoint])
    const [tone, word] = endpointState(endpoint, (at) => ageWords(at, view.now))
    const host = plainText(websiteHost(endpoint.url) ?? "", 80)
    const isEnabled = endpoint.status === "ENABLED"
    return {
      title: host,
      body: html`${head({
        crumb: html`<a href="${view.href("deliveries")}">Deliveries</a> / Endpoints /`,
        title: html`<bdi>${host}</bdi>`,
        pill: pill(tone, word),
        meta: html`<span><a href="${view.href(`merchants/${endpoint.merchantId}`)}">${names.of(endpoint.merchantId)}</a></span>${wholeId(endpoint.id)}<span>${endpoint.topics.length} topics</span>`,
        acts: html`${button(view.href("deliveries", { endpoint: endpoint.id }), "send", "Deliveries")}${isEnabled && button(view.href(`endpoints/${endpoint.id}/disable`), "off", "Disable…", "stop")}${lookAgain(view)}`
      })}
${!isEnabled && note("warn", html`<b>Disabled.</b> It gets no deliveries${endpoint.disabledReason !== undefined && html`: ${isolated(endpoint.disabledReason, 200)}`}. The events that it misses are kept.`)}
<div class="cols"><div class="stack">${attemptsPanel(view, health.attempts)}</div><div class="stack">${panel(
        "Queue",
        facts([
          ["Pending", numberOf(health.pending)],
          ["Failed", numberOf(health.failed)],
          ["Oldest due", health.dueSince === undefined ? "none" : `${ageWords(health.dueSince, view.now)} ago`],
          ["Maximum per second", endpoint.maxPerSecond ?? "no limit"]
        ])
      )}${
        isEnabled
          ? html`<section class="panel" aria-label="Send a test"><header><h2>Send a test</h2></header>${changeForm(view, { name: "test", button: "Send a test" })}</section><section class="panel" aria-label="Recover"><header><h2>Recover</h2></header><div class="pad"><p>Queues the deliveries that failed within the last 7 days, oldest first. A pending delivery is sent at its next attempt; to send it now, open its event.</p></div>${changeForm(view, { name: "recover", button: "Recover" })}</section>`
          : html`<section class="panel" aria-label="Enable"><header><h2>Enable</h2></header><div class="pad"><p>Resumes deliveries, and queues the events that it missed while disabled.</p></div>${changeForm(view, { name: "enable", button: "Enable" })}</section>`
      }</div></div>`
    }
  }),
  forms: {
    test: {
      role: commandRoles["endpoint.test"],
      done: "The test is queued.",
      run: Effect.fnUntraced(function* (view, sent) {
        const endpoint = yield* endpointIn(view)
        const tested = (yield* EndpointEvents).sendTest(endpoint.merchantId, endpoint.id, undefined)
        yield* actingAs(view, sent, tested, () => endpointChanged("endpoint.tested")(endpoint)).pipe(
          Effect.catchTags({
            ...changeRefused,
            EndpointDisabled: formRefused
          })
        )
        return {}
      })
    },
    recover: {
      role: commandRoles["endpoint.recover"],
      done: "The missed events are queued again.",
      run: Effect.fnUntraced(function* (view, sent) {
        const endpoint = yield* endpointIn(view)
        const range = { since: DateTime.subtract(view.now, { days: 7 }), until: DateTime.add(view.now, { seconds: 1 }) }
        const recovered = (yield* EndpointEvents).recover(endpoint.merchantId, endpoint.id, range)
        const due = yield* actingAs(view, sent, recovered, (made) =>
          made === 0 ? undefined : endpointChanged("endpoint.recovered", [{ field: "due", to: String(made) }])(endpoint)
        ).pipe(
          Effect.catchTags({
            ...changeRefused,
            EndpointDisabled: formRefused,
            EventArchived: formRefused
          })
        )
        return due === 0
          ? yield* new FormRefused({ message: "No delivery failed within the last 7 days; nothing was queued." })
          : {}
      })
    },
    enable: {
      role: commandRoles["endpoint.switch"],
      done: "The endpoint is enabled, and the events that it missed are queued.",
      run: Effect.fnUntraced(function* (view, sent) {
        const before = yield* endpointIn(view)
        const events = yield* EndpointEvents
        const enabled = events.enable(before.merchantId, before.id, {}, "missed")
        yield* actingAs(view, sent, enabled, (made) => endpointEnabled(before, made)).pipe(
          Effect.flatMap(events.sendMissed),
          Effect.catchTags({
            ...changeRefused,
            TargetNotAllowed: formRefused,
            EventArchived: formRefused
          })
        )
        return {}
      })
    }
  }
}

export const endpointDisablePage: ConsolePage = {
  path: "endpoints/:endpointId/disable",
  room: "deliveries",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const endpoint = yield* endpointIn(view)
    const back = view.href(`endpoints/${endpoint.id}`)
    const host = plainText(websiteHost(endpoint.url) ?? "", 80)
    return {
      title: `Disable ${host}`,
      body: html`${head({ crumb: html`<a href="${back}">${host}</a> /`, title: html`Disable <bdi>${host}</bdi>` })}
<section class="panel mid" aria-label="Disable"><div class="pad"><ul class="stack"><li>It gets no more deliveries. Events are still stored, and the merchant can poll them.</li><li>Enabling it again queues the events that it missed.</li></ul></div>${
        endpoint.status === "ENABLED"
          ? changeForm(view, { name: "disable", button: "Disable", stops: true, back })
          : html`<div class="pad">${note("info", html`It is already disabled. <a href="${back}">Back to the endpoint</a>`)}</div>`
      }</section>`
    }
  }),
  forms: {
    disable: {
      role: commandRoles["endpoint.switch"],
      done: "The endpoint is disabled.",
      run: Effect.fnUntraced(function* (view, sent) {
        const before = yield* endpointIn(view)
        const disabled = (yield* WebhookEndpoints).update(before.merchantId, before.id, { status: "DISABLED" })
        yield* actingAs(view, sent, disabled, (after) => endpointUpdated(before, after)).pipe(
          Effect.catchTags({
            ...changeRefused,
            TargetNotAllowed: formRefused
          })
        )
        return {}
      })
    }
  }
}
