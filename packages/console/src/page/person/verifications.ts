import { VerificationId } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { attentionAfter, Overview } from "@surety/core/overview/Overview"
import type { StuckVerification } from "@surety/core/overview/OverviewLog"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Duration, Effect, Option, Schema } from "effect"
import { isStuck, verificationColumns } from "../../record/identityColumns.js"
import { type Columns, merchantColumn, type Shown, timeInFile } from "../../screen/columns.js"
import { csvButton, csvLink, csvOf, csvOfAll } from "../../screen/csv.js"
import { ageWords, empty, facts, head, idOf, lookAgain, note, panel, pill, state, wholeId } from "../../screen/parts.js"
import { verificationState } from "../../screen/personStates.js"
import { filters, listLength, pager, sliceOf, table } from "../../screen/tables.js"
import { orMissing } from "../actingAs.js"
import { type ConsolePage, type PageView, RecordMissing } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"
import { placeOf } from "../placeOf.js"
import { merchantSought } from "../readFilter.js"

const readId = Schema.decodeUnknownEffect(VerificationId)
const stuckMinutes = Duration.toMinutes(attentionAfter.verificationOpen)

const stuckColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Verification",
      kind: "key",
      cell: ({ verificationId }) =>
        html`<a href="${view.href(`verifications/${verificationId}`)}">${idOf(verificationId)}</a>`,
      file: [["reference", ({ verificationId }) => verificationId]]
    },
    merchant: merchantColumn({ names, view }),
    person: { file: [["service_id", ({ serviceId }) => serviceId]] },
    kind: { head: "Kind", cell: ({ kind }) => kind.toUpperCase(), file: [["kind", ({ kind }) => kind]] },
    provider: {
      head: "Provider",
      cell: ({ provider }) => (provider === undefined ? "none" : isolated(provider, 40)),
      file: [["provider", ({ provider }) => provider]]
    },
    createdAt: {
      head: "State",
      cell: ({ createdAt }) => state("bad", `Open for ${ageWords(createdAt, view.now)}`),
      file: [timeInFile("createdAt")]
    }
  }) satisfies Columns<StuckVerification>

/** Renders at most `listLength` of the environment's stuck verifications. The page's merchant filter does not apply. */
const stuckPanel = (view: PageView, names: Names, all: ReadonlyArray<StuckVerification>): Html | undefined => {
  const columns = stuckColumns({ view, names })
  return all.length === 0
    ? undefined
    : panel(
        "Stuck",
        table<StuckVerification>(
          "Stuck",
          [columns.id, columns.merchant, columns.kind, columns.provider, columns.createdAt],
          all.slice(0, listLength)
        ),
        {
          csv: csvLink(view, "stuck", "stuck"),
          foot: html`<span>Open longer than ${stuckMinutes} minutes. Surety looks them up automatically, and pays for none twice.</span>`
        }
      )
}

type Names = Effect.Success<ReturnType<typeof merchantNames>>

const selected = (view: PageView) =>
  Effect.map(merchantSought(view), (merchantId) => ({
    environment: view.environment,
    merchantId
  }))

/**
 * `verifications`: verifications of all merchants, newest first. Shows no part of an identity number, not even its last
 * four characters.
 */
export const verificationsPage: ConsolePage = {
  path: "verifications",
  room: "verifications",
  role: "viewer",
  csv: csvOf<Verification>("support", "verifications", verificationColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* VerificationLog).listAll(yield* selected(view), page)
    })
  ),
  tables: {
    stuck: csvOfAll<StuckVerification>("support", "stuck-verifications", stuckColumns, ({ environment }) =>
      Effect.flatMap(Overview, (overview) => overview.stuckVerifications(environment))
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* VerificationLog).listAll(yield* selected(view), sliceOf(view))
    const stuck = yield* (yield* Overview).stuckVerifications(view.environment)
    const names = yield* merchantNames([...found.data, ...stuck])
    const { createdAt, id, kind, merchant, person, provider, state } = verificationColumns({ view, names })
    const rows = table<Verification>(
      "Verifications",
      [id, merchant, person, kind, state, provider, createdAt],
      found.data
    )
    return {
      title: "Verifications",
      body: html`${head({ title: "Verifications", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [{ name: "merchant", label: "Merchant", hint: "its id" }])}
${view.query.has("cursor") ? undefined : stuckPanel(view, names, stuck)}
<section class="panel" aria-label="Verifications">${
        found.data.length === 0
          ? empty("shieldok", "No verifications", "Merchants verify people with POST /v1/kyc/verifications.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}

/**
 * `verifications/{id}`: a verification's times, status and comparison results, without the identity number or the
 * compared values.
 */
export const verificationPage: ConsolePage = {
  path: "verifications/:verificationId",
  room: "verifications",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const id = yield* orMissing(readId(view.param("verificationId")))
    const scope = yield* placeOf(view, id)
    const found = yield* (yield* KycStore).find(scope, id)
    if (Option.isNone(found)) return yield* new RecordMissing()
    const one = found.value
    const names = yield* merchantNames([one])
    const [tone, word] = verificationState(one)
    return {
      title: `Verification by ${one.kind.toUpperCase()}`,
      body: html`${head({
        crumb: html`<a href="${view.href("verifications")}">Verifications</a> /`,
        title: html`<span class="soft">Verification by</span> ${one.kind.toUpperCase()}`,
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span><a href="${view.href(`merchants/${one.merchantId}`)}">${names.of(one.merchantId)}</a> of <a href="${view.href(`people/${one.serviceId}`)}">${one.serviceId}</a></span>`,
        acts: lookAgain(view)
      })}
${isStuck(one, view) && note("bad", html`<b>Open longer than ${stuckMinutes} minutes.</b> It is looked up automatically. The metrics show whether the provider’s circuit breaker is open.`)}
<div class="cols even">${panel(
        "Details",
        facts([
          ["Started", view.times.moment(one.createdAt)],
          ["Ended", one.completedAt === undefined ? undefined : view.times.moment(one.completedAt)],
          ["Failure reason", one.failureReason === undefined ? undefined : html`<code>${one.failureReason}</code>`],
          ["Provider", one.provider === undefined ? "none" : isolated(one.provider, 60)],
          [
            "Provider’s reference",
            one.providerReference === undefined
              ? undefined
              : html`<span class="id">${isolated(one.providerReference, 128)}</span>`
          ],
          ["Consent", one.method.toLowerCase().replaceAll("_", " ")],
          ["Tier", one.tier === undefined ? undefined : isolated(one.tier, 40)]
        ])
      )}${panel(
        "Checks",
        facts(
          Object.entries(one.checks).map(([field, result]) => [
            field.replaceAll("_", " "),
            result === "MATCH"
              ? state("ok", "Match")
              : result === "NO_MATCH"
                ? state("bad", "No match")
                : result === "PARTIAL"
                  ? state("warn", "Partial match")
                  : state("off", "Not checked")
          ])
        )
      )}</div>`
    }
  })
}
