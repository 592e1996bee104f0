import { isSound } from "@surety/core/ledger/AuditRun"
import { Audits } from "@surety/core/ledger/Audits"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { Overview } from "@surety/core/overview/Overview"
import type { Attention, Counted, HourCount, HourlyFact } from "@surety/core/overview/OverviewLog"
import { type Html, html } from "@surety/page-kit/Html"
import { DateTime, Effect, Option } from "effect"
import { actionColumns } from "../record/operatorColumns.js"
import { changeForm } from "../screen/changeForm.js"
import { type Day, dayChart } from "../screen/charts.js"
import { csvLinkTo } from "../screen/csv.js"
import { consoleIcons } from "../screen/icons.js"
import { ageWords, empty, head, lookAgain, note, numberOf, panel } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { actingAs } from "./actingAs.js"
import { type ConsolePage, FormRefused, type PageView } from "./ConsolePage.js"

type Tone = "bad" | "warn" | "wait"

/** A line of the "Needs attention" panel, shown if its count is above 0. */
interface Todo {
  readonly tone: Tone
  readonly counted: Counted
  readonly what: string
  readonly say: (age: string) => string
  readonly to: string
  readonly query?: Readonly<Record<string, string>>
  readonly button: string
}

const todosOf = (view: PageView, attention: Attention): ReadonlyArray<Todo> => [
  {
    tone: "bad",
    counted: attention.refundsPending,
    what: "Refunds are pending",
    say: (age) => `for up to ${age}`,
    to: "refunds",
    query: { status: "PENDING" },
    button: "Refunds"
  },
  {
    tone: "bad",
    counted: attention.verificationsStuck,
    what: "Verifications are stuck",
    say: (age) => `for up to ${age}`,
    to: "verifications",
    button: "Verifications"
  },
  {
    tone: "bad",
    counted: attention.endpointsFailing,
    what: "Endpoints are failing",
    say: (age) => `for up to ${age}`,
    to: "endpoints",
    button: "Endpoints"
  },
  {
    tone: "bad",
    counted: attention.rightsRequestsLate,
    what: "Rights requests are late",
    say: () => "the law gives 30 days",
    to: "rights",
    button: "Requests"
  },
  {
    tone: "warn",
    counted: attention.endpointsDisabled,
    what: "Endpoints are disabled",
    say: (age) => `for up to ${age}`,
    to: "endpoints",
    button: "Endpoints"
  },
  {
    tone: "warn",
    counted: attention.disowned,
    what: "People said “not me”",
    say: () => "within a day",
    to: "consents/not-me",
    button: "Requests"
  },
  {
    tone: "warn",
    counted: attention.rightsRequestsNear,
    what: "Rights requests near their deadline",
    say: () => "within 7 days",
    to: "rights",
    button: "Requests"
  },
  {
    tone: "wait",
    // Requests that are late or near their deadline have separate lines, which replace this one.
    counted:
      attention.rightsRequestsLate.count + attention.rightsRequestsNear.count > 0
        ? { count: 0, since: undefined }
        : attention.rightsRequests,
    what: "Rights requests are open",
    say: (age) => `for up to ${age}`,
    to: "rights",
    button: "Requests"
  },
  {
    tone: "wait",
    counted: attention.merchantsInReview,
    what: "Merchants wait for review",
    say: (age) => `for up to ${age}`,
    to: "merchants",
    query: { status: "PENDING_REVIEW" },
    button: "Review"
  },
  {
    tone: "wait",
    counted: attention.proposals,
    what: "Changes wait for a second operator",
    say: (age) => `for up to ${age}`,
    to: "approvals",
    button: "Approvals"
  },
  {
    tone: "wait",
    counted: attention.dataRequestsPending,
    what: "Data requests wait for people",
    say: (age) => `for up to ${age}`,
    to: view.may("support") ? "consents/links" : "consents/requests",
    button: "Requests"
  }
]

const shapes = { bad: consoleIcons.xc, warn: consoleIcons.alert, wait: consoleIcons.clock } as const

const attentionPanel = (view: PageView, attention: Attention): Html => {
  const todos = todosOf(view, attention).filter(({ counted }) => counted.count > 0)
  const line = ({ button, counted, query = {}, say, to, tone, what }: Todo) =>
    html`<li class="st ${tone} wrap">${shapes[tone]}<span class="c">${counted.count >= 100 ? "100+" : counted.count}</span><span class="w"><b>${what}</b> <span class="soft">${say(ageWords(counted.since, view.now))}</span></span><span class="acts"><a class="btn" href="${view.href(to, query)}">${button}</a></span></li>`
  return panel(
    "Needs attention",
    todos.length === 0
      ? empty("check", "All is well", "Nothing waits, fails or nears its deadline in this environment.")
      : html`<ul class="todo">${todos.map(line)}</ul>`
  )
}

const checkWords: Readonly<Record<string, string>> = {
  ledger_balanced: "Ledger balanced",
  receipt_chains_unbroken: "Receipt chains unbroken",
  balances_equal_postings: "Balances equal postings",
  refunded_equals_refunds: "Refunded totals equal refunds",
  transfers_have_causes: "Every transfer has its cause",
  events_have_causes: "Every event has its commit",
  events_in_order: "Events are in order",
  consents_have_receipts: "Consents have receipts",
  verifications_have_receipts: "Verifications have receipts",
  grants_have_requests: "Grants have requests"
}

/** Counts successes and failures on each UTC day of the chart, oldest first: the previous six days and today. */
const daysOf = (
  view: PageView,
  hours: ReadonlyArray<HourCount>,
  good: HourlyFact,
  bad?: HourlyFact
): ReadonlyArray<Day> => {
  const today = DateTime.startOf(view.now, "day")
  return [6, 5, 4, 3, 2, 1, 0].map((back) => {
    const begin = DateTime.toEpochMillis(DateTime.subtract(today, { days: back }))
    const of = (fact: HourlyFact | undefined) =>
      hours
        .filter(({ fact: found, hour }) => {
          const at = DateTime.toEpochMillis(hour)
          return found === fact && at >= begin && at < begin + 86_400_000
        })
        .reduce((sum, { count }) => sum + count, 0)
    return { good: of(good), bad: bad === undefined ? 0 : of(bad) }
  })
}

const tile = (
  view: PageView,
  title: string,
  to: string,
  days: ReadonlyArray<Day>,
  text: (today: Day) => string
): Html => {
  const today = days.at(-1) ?? { good: 0, bad: 0 }
  return html`<section class="tile"><h2><a href="${view.href(to)}">${title} <span class="soft">today</span></a></h2><span class="big">${numberOf(today.good)}</span>${dayChart(days)}<p>${text(today)}</p></section>`
}

const checkPanel = (view: PageView, checking: Option.Option<DateTime.Utc>): Html =>
  Option.isSome(checking)
    ? note(
        "info",
        html`The books are being checked since ${view.times.clock(checking.value)}. Large ones take minutes: refresh this page.`
      )
    : html`<details class="panel d"${view.refusal?.form === "check" && html` open`}><summary>Check the books now…</summary>${changeForm(view, { name: "check", button: "Check now", hint: "Why now. It changes nothing, and takes minutes on large books." })}</details>`

/**
 * `overview`: the week's charts, counts of records that need attention, the latest operator actions and the last audit.
 * Includes a form to start an audit.
 */
export const overviewPage: ConsolePage = {
  path: "overview",
  room: "overview",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const overview = yield* Overview
    const actions = yield* OperatorActions
    const numbers = yield* overview.read(view.environment)
    const last = yield* actions.list(
      {
        actor: undefined,
        kind: undefined,
        target: undefined,
        merchantId: undefined,
        serviceId: undefined,
        since: undefined,
        until: undefined
      },
      { limit: 30, cursor: undefined }
    )
    // Omits session actions such as sign-ins, which would crowd out the changes. The audit log lists them.
    const done = last.data.filter(({ kind }) => !kind.startsWith("session.")).slice(0, 6)
    const { attention, countedAt, hours, lastAudit } = numbers
    const audit = Option.getOrUndefined(lastAudit)
    const checking = yield* (yield* Audits).running
    const books =
      audit === undefined
        ? empty(
            "book",
            "Not checked yet",
            "A check compares balances, postings, receipts and events, as surety verify does."
          )
        : html`<ul class="list">${audit.checks.map(
            ({ check, faults }) =>
              html`<li class="${faults === 0 ? "ok" : "bad"}">${faults === 0 ? consoleIcons.okc : consoleIcons.xc}<span class="vh">${faults === 0 ? "Passed: " : "Failed: "}</span>${checkWords[check] ?? check}<span class="end">${faults === 0 ? "" : `${faults} faults`}</span></li>`
          )}</ul>`
    const columns = actionColumns({ view })
    return {
      title: "Overview",
      body: html`${head({ title: "Overview", acts: lookAgain(view) })}
<div class="tiles">
${tile(view, "Refunds", "refunds", daysOf(view, hours, "refund.paid", "refund.returned"), ({ bad }) => (bad === 0 ? "none failed" : `${bad} failed`))}
${tile(view, "Consents", "consents/requests", daysOf(view, hours, "consent.granted", "consent.denied"), ({ bad }) => `${bad} denied`)}
${tile(view, "Verifications", "verifications", daysOf(view, hours, "verification.ended"), () => "ended")}
${tile(view, "Deliveries", "deliveries", daysOf(view, hours, "delivery.taken", "delivery.refused"), ({ bad, good }) => (good + bad === 0 ? "none yet" : `${((100 * good) / (good + bad)).toFixed(1)} % delivered`))}
</div>
<div class="cols"><div class="stack">${attentionPanel(view, attention)}${panel(
        "Operators’ last actions",
        done.length === 0
          ? empty("log", "No actions yet", "Each change by an operator is kept here with its reason.")
          : table(
              "Actions",
              [
                columns.at,
                columns.actor,
                columns.kind,
                columns.target,
                columns.environment,
                { ...columns.reason, kind: "brief" }
              ],
              done
            ),
        {
          aside: html`<a href="${view.href("audit")}">Audit log</a>`,
          csv: csvLinkTo(view.href("audit", { format: "csv" }), "operators’ actions")
        }
      )}</div><div class="stack">${panel("Books and proofs", books, {
        aside: html`<a href="${view.href("ledger")}">Ledger</a>`,
        ...(audit === undefined
          ? {}
          : {
              foot: html`<span>${isSound(audit) ? "All agree" : html`<b class="bad t">They do not agree</b>`}; ${numberOf(audit.chains)} chains of receipts</span><span>Checked ${view.times.inList(audit.at, view.now)}</span>`
            })
      })}${checkPanel(view, checking)}${
        countedAt === undefined
          ? undefined
          : html`<p class="soft">Daily numbers are updated every minute. Last update: ${view.times.inList(countedAt, view.now)}</p>`
      }</div></div>`
    }
  }),
  forms: {
    check: {
      role: commandRoles["books.check"],
      done: "The check has started. Refresh to see the result.",
      run: Effect.fnUntraced(function* (view, sent) {
        const audits = yield* Audits
        if (Option.isSome(yield* audits.running)) {
          return yield* new FormRefused({ message: "A check is already running. Refresh in a minute." })
        }
        yield* actingAs(view, sent, Effect.void, () => ({ kind: "books.check_started", target: "books", changes: [] }))
        // Starts the audit after the commit, because it runs in the background and outlives the commit.
        yield* audits.start(view.session.operator)
        return {}
      })
    }
  }
}
