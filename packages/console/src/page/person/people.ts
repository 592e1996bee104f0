import type { Consumer } from "@surety/core/consumer/Consumer"
import { Consumers } from "@surety/core/consumer/Consumers"
import { maskedEmail } from "@surety/core/consumer/maskedValue"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Redacted } from "effect"
import { type Columns, type Shown, timeColumn } from "../../screen/columns.js"
import { csvButton, csvOf } from "../../screen/csv.js"
import { empty, head, lookAgain, state } from "../../screen/parts.js"
import { pager, sliceOf, table } from "../../screen/tables.js"
import type { ConsolePage } from "../ConsolePage.js"

/** Shortens a name for lists to its first word and the initial of its last: `Ada O.`. */
export const shortName = (name: string): string => {
  const [first = "", ...rest] = name.trim().split(/\s+/u)
  const last = rest.at(-1)
  return last === undefined ? first : `${first} ${[...last][0] ?? ""}.`
}

const consumerColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: {
      head: "Person",
      kind: "key",
      cell: ({ serviceId }) => html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`,
      file: [
        ["service_id", ({ serviceId }) => serviceId],
        ["user_id", ({ userId }) => userId]
      ]
    },
    name: {
      head: "Name",
      cell: ({ displayName }) => displayName !== undefined && isolated(shortName(Redacted.value(displayName)), 40),
      notInFile: "personal"
    },
    email: {
      head: "E-mail",
      kind: "wide",
      cell: ({ email }) => email !== undefined && isolated(maskedEmail(Redacted.value(email)), 60),
      notInFile: "personal"
    },
    country: {
      head: "Country",
      kind: "wide",
      cell: ({ country }) => country,
      file: [["country", ({ country }) => country]]
    },
    verified: {
      head: "Verified",
      cell: ({ kycStatus, kycTier }) =>
        kycStatus === undefined
          ? state("off", "Not verified")
          : state("ok", html`Verified${kycTier !== undefined && html` (${isolated(kycTier, 20)})`}`),
      file: [
        ["phone_verified", ({ phoneVerified }) => String(phoneVerified)],
        ["kyc_status", ({ kycStatus }) => kycStatus],
        ["kyc_tier", ({ kycTier }) => kycTier]
      ]
    },
    createdAt: timeColumn(view, "Since", "createdAt")
  }) satisfies Columns<Consumer>

/**
 * `people`: the environment's people who are not erased, newest first. The page shortens names and masks e-mail
 * addresses. A CSV export omits both.
 */
export const peoplePage: ConsolePage = {
  path: "people",
  room: "people",
  role: "viewer",
  csv: csvOf<Consumer>("support", "people", consumerColumns, ({ environment }, page) =>
    Effect.flatMap(Consumers, (consumers) => consumers.list(environment, page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Consumers).list(view.environment, sliceOf(view))
    const rows = table<Consumer>("People", Object.values(consumerColumns({ view })), found.data)
    return {
      title: "People",
      body: html`${head({ title: "People", acts: html`${csvButton(view)}${lookAgain(view)}` })}
<p class="soft">The search above finds a person by identifier, user id, whole e-mail address or the beginning of a name.</p>
<section class="panel" aria-label="People">${
        found.data.length === 0
          ? empty("user", "No people yet", "Your systems make them known with POST /operator/consumers.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
