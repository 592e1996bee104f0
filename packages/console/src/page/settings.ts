import { OperatorSessionId } from "@surety/core/Ids"
import { FourEyes } from "@surety/core/operator/approval/FourEyes"
import { commandRoles } from "@surety/core/operator/commandRoles"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { OperatorSessions, SessionLimits } from "@surety/core/operator/session/OperatorSessions"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Schema } from "effect"
import { type SettingInForce, SettingsInForce } from "../ConsoleSettings.js"
import { sessionColumns } from "../record/operatorColumns.js"
import { changeForm } from "../screen/changeForm.js"
import type { Columns } from "../screen/columns.js"
import { csvButton, csvOf, csvOfAll } from "../screen/csv.js"
import {
  durationWords,
  empty,
  facts,
  head,
  lookAgain,
  moneyOf,
  note,
  panel,
  state,
  tabs,
  wholeId
} from "../screen/parts.js"
import { pager, sliceOf, table } from "../screen/tables.js"
import { orMissing } from "./actingAs.js"
import { type ConsolePage, FormRefused, type PageView, RecordMissing } from "./ConsolePage.js"

const roomTabs = (view: PageView, here: "settings" | "operators"): Html =>
  tabs("Settings", [
    { href: view.href("settings"), name: "Settings in force", isHere: here === "settings" },
    { href: view.href("operators"), name: "Operators’ sessions", isHere: here === "operators" }
  ])

const settingColumns = () =>
  ({
    name: {
      head: "Setting",
      kind: "key",
      cell: ({ name }) => html`<code>${name}</code>`,
      file: [["setting", ({ name }) => name]]
    },
    value: {
      head: "Value",
      cell: ({ value }) => html`<span class="brk">${isolated(value, 200)}</span>`,
      file: [["value", ({ value }) => value]]
    },
    meaning: {
      head: "Meaning",
      kind: "wide",
      cell: ({ meaning }) => html`<span class="soft brk">${meaning}</span>`,
      file: [["meaning", ({ meaning }) => meaning]]
    }
  }) satisfies Columns<SettingInForce>

/** `settings`: the settings in force, and the rules for second operators and sessions. Secrets are never shown. */
export const settingsPage: ConsolePage = {
  path: "settings",
  room: "settings",
  role: "admin",
  csv: csvOfAll<SettingInForce>("admin", "settings", settingColumns, () =>
    Effect.map(SettingsInForce, (settings) => settings)
  ),
  show: Effect.fnUntraced(function* (view) {
    const settings = yield* SettingsInForce
    const { adjustments, erasures, inHttp, transfersFrom } = yield* FourEyes
    const { absolute, idle } = yield* SessionLimits
    const onOff = (isOn: boolean) => (isOn ? state("ok", "On") : state("off", "Off"))
    return {
      title: "Settings",
      body: html`${head({ title: "Settings", acts: html`${settings.length > 0 && csvButton(view)}${lookAgain(view)}` })}
${roomTabs(view, "settings")}
<div class="cols"><div class="stack"><section class="panel" aria-label="Settings in force">${
        settings.length === 0
          ? empty(
              "pen",
              "The host has its own settings",
              "In the standalone server, every setting in force is listed here."
            )
          : table<SettingInForce>("Settings", Object.values(settingColumns()), settings)
      }</section></div><div class="stack">${panel(
        "Second operator",
        facts([
          ...[...transfersFrom].map(
            ([currency, minor]) => [`Transfers in ${currency}`, `from ${moneyOf({ currency, minor })}`] as const
          ),
          ["Other currencies", "every transfer"],
          ["Adjustments", onOff(adjustments)],
          ["Erasures", onOff(erasures)],
          ["Also over HTTP", onOff(inHttp)]
        ])
      )}${panel(
        "Sessions",
        facts([
          ["Idle timeout", durationWords(idle)],
          ["Maximum duration", durationWords(absolute)]
        ])
      )}</div></div>`
    }
  })
}

/** `operators`: the active sessions of all operators, newest first. */
export const operatorsPage: ConsolePage = {
  path: "operators",
  room: "settings",
  role: "admin",
  csv: csvOf<OperatorSession>(
    "admin",
    "sessions",
    ({ view }) => sessionColumns(view),
    (_, page) => Effect.flatMap(OperatorSessions, (sessions) => sessions.list(undefined, page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* OperatorSessions).list(undefined, sliceOf(view))
    const columns = sessionColumns(view)
    return {
      title: "Operators’ sessions",
      body: html`${head({ title: "Settings", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${roomTabs(view, "operators")}
<section class="panel" aria-label="Sessions">${table<OperatorSession>(
        "Sessions",
        [
          {
            ...columns.operator,
            cell: ({ id, operator }) => html`<a href="${view.href(`operators/${id}`)}">${isolated(operator, 64)}</a>`
          },
          columns.roles,
          columns.by,
          columns.address,
          columns.createdAt,
          columns.lastUsedAt
        ],
        found.data
      )}${pager(view, found)}</section>`
    }
  })
}

const readId = Schema.decodeUnknownEffect(OperatorSessionId)

/** Maximum pages, of 100 sessions each, searched for one session. */
const most = 10

const sessionIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readId(view.param("sessionId")))
  const sessions = yield* OperatorSessions
  let cursor: string | undefined
  for (let read = 0; read < most; read += 1) {
    const { data, nextCursor } = yield* sessions.list(undefined, { limit: 100, cursor })
    const found = data.find((session) => session.id === id)
    if (found !== undefined) return found
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return yield* new RecordMissing()
})

/** `operators/{sessionId}`: one session, with a form to end it unless it is the current one. */
export const operatorSessionPage: ConsolePage = {
  path: "operators/:sessionId",
  room: "settings",
  role: "admin",
  show: Effect.fnUntraced(function* (view) {
    const { id, operator, userAgent } = yield* sessionIn(view)
    const back = view.href("operators")
    return {
      title: `End a session of ${operator}`,
      body: html`${head({ crumb: html`<a href="${back}">Operators’ sessions</a> /`, title: html`End a session <span class="soft">of</span> ${isolated(operator, 64)}`, meta: wholeId(id) })}
<section class="panel mid" aria-label="End"><div class="pad">${userAgent !== undefined && html`<p class="soft">${isolated(userAgent, 120)}</p>`}${
        id === view.session.id
          ? note("info", "This is your own session: sign out instead.")
          : html`<p>The operator must sign in again. To prevent that, remove the token too.</p>`
      }</div>${id !== view.session.id && changeForm(view, { name: "end", button: "End the session", stops: true, where: "", back })}</section>`
    }
  }),
  forms: {
    end: {
      role: commandRoles["session.end"],
      done: "The session is ended.",
      run: Effect.fnUntraced(function* (view, { reason }) {
        const { id } = yield* sessionIn(view)
        if (id === view.session.id) return yield* new FormRefused({ message: "Sign out to end your own session." })
        yield* (yield* OperatorSessions).end(id, view.session.operator, reason)
        return { href: view.href("operators") }
      })
    }
  }
}
