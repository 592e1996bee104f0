import type { SequencedEvent } from "@surety/core/event/DomainEvent"
import { Topic, topics } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { ApiKeyId } from "@surety/core/Ids"
import { isKeyInForce } from "@surety/core/merchant/ApiKey"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { apiKeyChanged } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { Effect, Schema } from "effect"
import { keyState } from "../record/merchantColumns.js"
import { changeForm } from "../screen/changeForm.js"
import { type Columns, type Shown, timeColumn } from "../screen/columns.js"
import { csvButton, csvOf } from "../screen/csv.js"
import { empty, facts, head, idOf, lookAgain, note, panel, pill, wholeId } from "../screen/parts.js"
import { filters, pager, sliceOf, table } from "../screen/tables.js"
import { actingAs, orMissing } from "./actingAs.js"
import { type ConsolePage, FormRefused, type PageView, RecordMissing, recordMissing } from "./ConsolePage.js"
import { merchantIn } from "./merchant.js"
import { crumbOf } from "./merchantChanges.js"
import { readFilter } from "./readFilter.js"

const readKeyId = Schema.decodeUnknownEffect(ApiKeyId)

const keyIn = Effect.fnUntraced(function* (view: PageView) {
  const merchant = yield* merchantIn(view)
  const id = yield* orMissing(readKeyId(view.param("keyId")))
  const keys = yield* (yield* ApiKeys).list(merchant.id)
  const key = keys.find((one) => one.id === id && one.environment === view.environment)
  return key === undefined ? yield* new RecordMissing() : { key, merchant }
})

/**
 * `merchants/{id}/keys/{keyId}`: a key's scopes and, while the key is in force, a form to revoke it. Never shows the
 * secret.
 */
export const merchantKeyPage: ConsolePage = {
  path: "merchants/:merchantId/keys/:keyId",
  room: "merchants",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const { key, merchant } = yield* keyIn(view)
    const [tone, word] = keyState(key, view.now)
    const { createdAt, expiresAt, id, last4, lastUsedAt, name, revokedAt, scopes } = key
    return {
      title: `API key …${last4}`,
      body: html`${head({
        crumb: crumbOf(view, merchant),
        title: html`<span class="soft">API key</span> <span class="mono">…${last4}</span>`,
        pill: pill(tone, word),
        meta: wholeId(id),
        acts: lookAgain(view)
      })}
<div class="cols"><div class="stack">${panel(
        "Details",
        facts([
          ["Name", name === undefined ? "none" : isolated(name, 100)],
          ["Scopes", scopes === undefined ? "everything" : scopes.join(", ")],
          ["Created", view.times.moment(createdAt)],
          ["Last used", lastUsedAt === undefined ? "never" : view.times.moment(lastUsedAt)],
          ["Expires", expiresAt === undefined ? "never" : view.times.moment(expiresAt)],
          ["Revoked", revokedAt === undefined ? undefined : view.times.moment(revokedAt)],
          ["Operators", html`<a href="${view.href("audit", { record: id })}">Operators’ actions</a>`]
        ])
      )}</div><div class="stack">${
        isKeyInForce(key, view.now)
          ? html`<section class="panel" aria-label="Revoke"><header><h2>Revoke</h2></header><div class="pad"><p>Requests with this key are refused at once and permanently. The merchant’s other keys still work.</p>${
              !view.may("admin") &&
              note(
                "info",
                html`Support can stop all LIVE keys at once: <a href="${view.href(`merchants/${merchant.id}/suspend`)}">Suspend…</a>`
              )
            }</div>${changeForm(view, { name: "revoke", button: "Revoke the key", stops: true, hint: "For example: it leaked, and where." })}</section>`
          : undefined
      }</div></div>`
    }
  }),
  forms: {
    revoke: {
      role: commandRoles["apiKey.revoke"],
      done: "The key is revoked.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { key, merchant } = yield* keyIn(view)
        if (!isKeyInForce(key, view.now)) return yield* new FormRefused({ message: "The key is no longer active." })
        const revoked = (yield* ApiKeys).revoke(merchant.id, key.id)
        yield* actingAs(view, sent, revoked, (isNew) =>
          isNew ? apiKeyChanged("api_key.revoked")(key) : undefined
        ).pipe(Effect.catchTag("ApiKeyNotFound", recordMissing))
        return {}
      })
    }
  }
}

const readTopic = Schema.decodeUnknownOption(Topic)
const topicChoices = Object.fromEntries(topics.map((topic) => [topic, topic]))

const topicIn = (view: PageView) => readFilter(view, "topic", "choice", readTopic)

const scopeIn = (view: PageView) =>
  Effect.map(merchantIn(view), (merchant) => ({
    merchant,
    scope: { merchantId: merchant.id, environment: view.environment }
  }))

const eventColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: {
      head: "Event",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`events/${id}`)}">${idOf(id)}</a>`,
      file: [["event_id", ({ id }) => id]]
    },
    topic: {
      head: "Topic",
      cell: ({ topic }) => html`<span class="mono">${topic}</span>`,
      file: [["topic", ({ topic }) => topic]]
    },
    occurredAt: timeColumn(view, "Time", "occurredAt"),
    sequence: { file: [["sequence", ({ sequence }) => sequence]] }
  }) satisfies Columns<SequencedEvent>

export const merchantEventsPage: ConsolePage = {
  path: "merchants/:merchantId/events",
  room: "merchants",
  role: "viewer",
  csv: csvOf<SequencedEvent>("support", "events", eventColumns, (view, page) =>
    Effect.gen(function* () {
      const { scope } = yield* scopeIn(view)
      return yield* (yield* EventLog).list(scope, page, yield* topicIn(view))
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const { merchant, scope } = yield* scopeIn(view)
    const found = yield* (yield* EventLog).list(scope, sliceOf(view), yield* topicIn(view))
    const { id, occurredAt, topic } = eventColumns({ view })
    const rows = table<SequencedEvent>("Events", [id, topic, occurredAt], found.data)
    return {
      title: `Events of ${plainText(merchant.profile.name, 40)}`,
      body: html`${head({ crumb: crumbOf(view, merchant), title: "Events", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [{ name: "topic", label: "Topic", choices: topicChoices }])}
<section class="panel" aria-label="Events">${
        found.data.length === 0
          ? empty("bolt", "No events", "A settled payment, a refund or a consent makes the first one.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
