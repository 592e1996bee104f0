import type { Grant } from "@surety/core/consent/grant/Grant"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { maskedValue } from "@surety/core/consumer/maskedValue"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { PersonSights } from "@surety/core/operator/PersonSights"
import type { Holdings } from "@surety/core/person/Holdings"
import type { RightsRequest } from "@surety/core/person/RightsRequest"
import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Redacted } from "effect"
import { grantColumns, readColumns, receiptColumns } from "../../record/consentColumns.js"
import { rightsColumns, verificationColumns } from "../../record/identityColumns.js"
import { changeForm } from "../../screen/changeForm.js"
import type { Column } from "../../screen/columns.js"
import { csvLink } from "../../screen/csv.js"
import {
  button,
  empty,
  facts,
  head,
  idOf,
  lookAgain,
  moneyOf,
  note,
  panel,
  pill,
  state,
  timeIn
} from "../../screen/parts.js"
import { table } from "../../screen/tables.js"
import { type ConsoleForm, type ConsolePage, type PageView, recordMissing } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"
import { countedTo, holdingsIn, personIn } from "./personRecord.js"
import { personTables } from "./personTables.js"
import { waitingErasure, waitingErasureNote } from "./waitingErasure.js"

export const sightOf = ({ environment, session }: PageView, serviceId: ConsumerId) => ({
  session: session.id,
  operator: session.operator,
  environment,
  serviceId
})

/**
 * Message for an erasure that failed at one of the host's data holders. Other holders may already have erased the
 * person, so the message must not claim that nothing was done.
 */
export const halfErased =
  "A part of the platform that holds this person's data cannot be reached, so the person is not erased yet. Other parts may have erased already. Try again."

/**
 * Returns the time until which the session may see the person's details unmasked. `None` if it may not see them now or
 * the operator lacks the `support` role.
 */
export const sightUntil = Effect.fnUntraced(function* (view: PageView, serviceId: ConsumerId) {
  return view.may("support") ? yield* (yield* PersonSights).until(sightOf(view, serviceId)) : Option.none()
})

/** Maximum number of records in each table on the page. CSV exports may contain more. */
const shown = 12

const newest = <A>(records: ReadonlyArray<A>): ReadonlyArray<A> => records.slice(-shown).toReversed()

const counted = (count: number): string => (count < countedTo ? String(count) : `${countedTo} or more`)

const more = (count: number) =>
  count > shown ? { foot: html`<span>The newest ${shown} of ${counted(count)}</span>` } : {}

const list = <Row>(
  view: PageView,
  name: keyof typeof personTables,
  title: string,
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  none: Html
): Html =>
  rows.length === 0
    ? panel(title, none)
    : panel(title, table<Row>(title, columns, newest(rows)), {
        ...more(rows.length),
        csv: csvLink(view, name, title.toLowerCase())
      })

type Names = Effect.Success<ReturnType<typeof merchantNames>>

const grantsPanel = (view: PageView, names: Names, grants: ReadonlyArray<Grant>): Html => {
  const { expiresAt, fields, id, merchant, state } = grantColumns({ view, names })
  return list<Grant>(
    view,
    "grants",
    "Who may see what",
    grants,
    [
      { ...merchant, kind: "key" },
      { ...fields, kind: undefined },
      state,
      expiresAt,
      { ...id, kind: undefined, cell: ({ id }) => html`<a href="${view.href(`consents/grants/${id}`)}">Open</a>` }
    ],
    empty("hand", "No one", "The person has allowed no merchant to read anything.")
  )
}

const readsPanel = (view: PageView, names: Names, reads: ReadonlyArray<IdentityRead>): Html =>
  list<IdentityRead>(
    view,
    "reads",
    "Reads",
    reads,
    Object.values(readColumns({ view, names })),
    empty("eye", "Nothing was read", "Each read by a merchant is kept here.")
  )

const receiptsPanel = (view: PageView, names: Names, serviceId: ConsumerId, receipts: ReadonlyArray<Receipt>): Html => {
  const { id, merchant, sequence } = receiptColumns({ view, names })
  return list<Receipt>(
    view,
    "receipts",
    "Receipts",
    receipts,
    [
      merchant,
      {
        ...id,
        cell: (receipt) =>
          html`<a href="${view.href(`people/${serviceId}/receipts/${receipt.id}`)}">${id.cell(receipt)}</a>`
      },
      sequence
    ],
    empty("book", "No receipts", "Each decision of the person makes one.")
  )
}

const verificationsPanel = (view: PageView, names: Names, verifications: ReadonlyArray<Verification>): Html => {
  const { createdAt, id, kind, merchant, state } = verificationColumns({ view, names })
  return list<Verification>(
    view,
    "verifications",
    "Verifications",
    verifications,
    [
      { ...merchant, kind: "key" },
      {
        ...id,
        head: "Kind",
        kind: undefined,
        cell: (one) => html`<a href="${view.href(`verifications/${one.id}`)}">${kind.cell(one)}</a>`
      },
      state,
      createdAt
    ],
    empty("shieldok", "Never verified", "Merchants verify people with POST /v1/kyc/verifications.")
  )
}

const rightsPanel = (view: PageView, requests: ReadonlyArray<RightsRequest>): Html => {
  const { dueAt, kind, state } = rightsColumns({ view })
  return list<RightsRequest>(
    view,
    "rights",
    "Rights requests",
    requests,
    [kind, state, dueAt],
    empty("scale", "None", "The person asks on their page; the platform has 30 days to answer.")
  )
}

const moneyPanel = (view: PageView, { payments, refunds, wallets }: Holdings): Html =>
  panel(
    "Money",
    facts([
      ["Wallet", wallets.length === 0 ? "none here" : wallets.map(moneyOf).join(", ")],
      ["Payments", html`${counted(payments.length)} ${payments.length > 0 && csvLink(view, "payments", "payments")}`],
      ["Refunds", html`${counted(refunds.length)} ${refunds.length > 0 && csvLink(view, "refunds", "refunds")}`],
      ...newest(refunds)
        .slice(0, 5)
        .map(
          ({ amount, id }) =>
            ["Refund", html`<a href="${view.href(`refunds/${id}`)}">${moneyOf(amount)}</a> ${idOf(id)}`] as const
        )
    ])
  )

const recordPanel = (view: PageView, held: Holdings, until: Option.Option<HtmlValue>): Html => {
  const { consumer } = held
  const value = (field: "display_name" | "email", known: Redacted.Redacted<string> | undefined): HtmlValue => {
    if (known === undefined) return "not known"
    return Option.isSome(until)
      ? isolated(Redacted.value(known), 120)
      : isolated(String(maskedValue(IdentityField.make(field), known)), 80)
  }
  return panel(
    "Record",
    html`${facts([
      ["Name", value("display_name", consumer.displayName)],
      ["E-mail", value("email", consumer.email)],
      ["Country", consumer.country],
      ["Telephone", consumer.phoneVerified ? state("ok", "Verified") : state("off", "Not verified")],
      ["Identity", consumer.kycStatus === undefined ? state("off", "Not verified") : state("ok", "Verified")],
      ["User id", idOf(consumer.userId)],
      [
        "External id",
        consumer.externalId === undefined
          ? undefined
          : html`<span class="id">${isolated(consumer.externalId, 128)}</span>`
      ],
      ["Since", timeIn(view, consumer.createdAt)]
    ])}${
      Option.isSome(until)
        ? html`<div class="pad">${note("warn", html`Shown until ${until.value}. This access is in the audit log.`)}</div>`
        : lookForm(view)
    }`
  )
}

export const lookForm = (view: PageView): Html =>
  changeForm(view, {
    name: "look",
    button: "Show for 10 minutes",
    hint: "Why you need to see the details. Kept with your name."
  })

/** Form that shows a person's details to the operator. Records the viewing and its reason in the audit log. */
export const look: ConsoleForm = {
  role: "support",
  done: "The details are shown for 10 minutes.",
  run: Effect.fnUntraced(function* (view, { reason }) {
    const { serviceId } = yield* personIn(view)
    yield* (yield* PersonSights)
      .look(sightOf(view, serviceId), reason)
      .pipe(Effect.catchTag("PersonNotFound", recordMissing))
    return {}
  })
}

/**
 * `people/{consumerId}`: a person's newest records. Name and e-mail are masked, except for 10 minutes after the
 * operator submits the `look` form.
 */
export const personPage: ConsolePage = {
  path: "people/:consumerId",
  room: "people",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const person = yield* personIn(view)
    const { erasedAt, serviceId } = person
    const crumb = html`<a href="${view.href("people")}">People</a> /`
    if (erasedAt !== undefined) {
      return {
        title: serviceId,
        body: html`${head({ crumb, title: serviceId, pill: pill("off", "Erased") })}
<section class="panel" aria-label="Erased">${empty("user", "This person was erased", html`On ${view.times.moment(erasedAt)}. What had to stay has no name; see the <a href="${view.href("audit", { person: serviceId })}">audit log</a>.`)}</section>`
      }
    }
    const held = yield* holdingsIn(view)
    const until = Option.map(yield* sightUntil(view, serviceId), (at) => view.times.clock(at))
    const names = yield* merchantNames(
      [held.grants, held.reads, held.receipts, held.verifications].flatMap((records) => newest<MerchantRecord>(records))
    )
    const waiting = yield* waitingErasure(view, serviceId)
    const { restrictedAt } = held
    const at = `people/${serviceId}`
    return {
      title: serviceId,
      body: html`${head({
        crumb,
        title: serviceId,
        pill: restrictedAt === undefined ? undefined : pill("warn", "Restricted"),
        meta: html`<span><a href="${view.href("audit", { person: serviceId })}">Operators’ actions</a></span>`,
        acts: html`${button(view.href(`${at}/correct`), "pen", "Correct…")}${button(view.href(`${at}/export`), "down", "Export…")}${button(view.href(`${at}/restrict`), "lock", restrictedAt === undefined ? "Restrict…" : "Lift restriction…")}${button(view.href(`${at}/erase`), "x", "Erase…", "stop")}${lookAgain(view)}`
      })}
${restrictedAt !== undefined && note("warn", html`<b>Restricted</b> since ${view.times.moment(restrictedAt)}: no merchant reads anything or asks for more.`)}${waitingErasureNote(view, waiting)}
<div class="cols"><div class="stack">${rightsPanel(view, held.rightsRequests)}${grantsPanel(view, names, held.grants)}${readsPanel(view, names, held.reads)}${verificationsPanel(view, names, held.verifications)}${receiptsPanel(view, names, serviceId, held.receipts)}</div><div class="stack">${recordPanel(view, held, until)}${moneyPanel(view, held)}</div></div>`
    }
  }),
  tables: personTables,
  forms: { look }
}

type MerchantRecord = { readonly merchantId: Grant["merchantId"] }
