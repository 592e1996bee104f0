import type { Grant } from "@surety/core/consent/grant/Grant"
import { Grants } from "@surety/core/consent/grant/Grants"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { IdentityReads } from "@surety/core/consent/read/IdentityReads"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import { Receipts } from "@surety/core/consent/receipt/Receipts"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import type { Page, PageRequest } from "@surety/core/Page"
import type { Payment } from "@surety/core/payment/Payment"
import type { HeldPerson } from "@surety/core/person/HeldPerson"
import type { Holdings } from "@surety/core/person/Holdings"
import type { RightsRequest } from "@surety/core/person/RightsRequest"
import type { Refund } from "@surety/core/refund/Refund"
import type { StoreError } from "@surety/core/StoreError"
import { Effect } from "effect"
import { grantColumns, readColumns, receiptColumns } from "../../record/consentColumns.js"
import { rightsColumns, verificationColumns } from "../../record/identityColumns.js"
import { paymentColumns, refundColumns } from "../../record/moneyColumns.js"
import { csvOf, csvOfFirst } from "../../screen/csv.js"
import { type ConsoleServices, type CsvTable, type PageView, RecordMissing } from "../ConsolePage.js"
import { holdingsIn, personIn } from "./personRecord.js"

/** Maximum rows of a CSV export built from one `holdings` call. */
const heldAtMost = 1_000

/**
 * Reads the person's newest records of a kind. `of` returns the records through which `holdings` finds them: payments
 * for refunds, by default the records themselves. If either list exceeds `heldAtMost`, records may be missing, and
 * `hasMore` is true.
 */
const held =
  <Row>(kind: (holdings: Holdings) => ReadonlyArray<Row>, of: (holdings: Holdings) => ReadonlyArray<unknown> = kind) =>
  (view: PageView) =>
    Effect.map(holdingsIn(view, heldAtMost + 1), (holdings) => ({
      rows: kind(holdings).toReversed().slice(0, heldAtMost),
      hasMore: kind(holdings).length > heldAtMost || of(holdings).length > heldAtMost
    }))

/**
 * Applies `list` to the person named in the url, across all merchants of the environment. Fails with `RecordMissing`
 * for an erased or unknown person.
 */
const listed =
  <Row>(
    list: (
      listing: { readonly merchantId: undefined; readonly environment: PageView["environment"] },
      person: HeldPerson,
      page: PageRequest
    ) => Effect.Effect<Page<Row>, StoreError, ConsoleServices>
  ) =>
  (view: PageView, page: PageRequest) =>
    Effect.gen(function* () {
      const person = yield* personIn(view)
      if (person.erasedAt !== undefined) return yield* new RecordMissing()
      return yield* list({ merchantId: undefined, environment: view.environment }, person, page)
    })

/** CSV exports of a person's records. Payments and refunds require the `money` role, the others `support`. */
export const personTables: Readonly<Record<string, CsvTable>> = {
  rights: csvOfFirst<RightsRequest>(
    "support",
    "rights-requests",
    rightsColumns,
    held(({ rightsRequests }) => rightsRequests)
  ),
  grants: csvOf<Grant>(
    "support",
    "grants",
    grantColumns,
    listed((listing, { userId }, page) => Effect.flatMap(Grants, (grants) => grants.list(listing, { userId }, page)))
  ),
  reads: csvOf<IdentityRead>(
    "support",
    "reads",
    readColumns,
    listed((listing, { userId }, page) =>
      Effect.flatMap(IdentityReads, (reads) => reads.list(listing, { userId }, page))
    )
  ),
  receipts: csvOf<Receipt>(
    "support",
    "receipts",
    receiptColumns,
    listed((listing, { userId }, page) =>
      Effect.flatMap(Receipts, (receipts) => receipts.listOfPerson(listing, userId, page))
    )
  ),
  verifications: csvOfFirst<Verification>(
    "support",
    "verifications",
    verificationColumns,
    held(({ verifications }) => verifications)
  ),
  payments: csvOfFirst<Payment>(
    "money",
    "payments",
    paymentColumns,
    held(({ payments }) => payments)
  ),
  refunds: csvOfFirst<Refund>(
    "money",
    "refunds",
    refundColumns,
    held(
      ({ refunds }) => refunds,
      ({ payments }) => payments
    )
  )
}
