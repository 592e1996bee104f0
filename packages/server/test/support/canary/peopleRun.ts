import { Effect } from "effect"
import { planted } from "./Planted.js"
import type { Say } from "./Speaker.js"

/** The run's merchant, and a person in the merchant's TEST environment. */
interface Among {
  readonly merchantId: string
  readonly testServiceId: string
}

const reason = planted.operatorReason

/**
 * Corrects a person's details, closes their rights request and funds their wallet. Then, for this person and for one
 * in TEST, sets and lifts a restriction and exports the data.
 */
const corrected = Effect.fnUntraced(function* (operator: Say, live: Say, { merchantId, testServiceId }: Among) {
  const person = { displayName: planted.formerName, email: planted.formerEmail }
  const { serviceId } = yield* operator("POST", "/operator/consumers", person)
  const fields = ["email", "display_name"]
  yield* operator("POST", "/operator/grants", { merchantId, serviceId, fields })
  const asked = { serviceId, kind: "RECTIFY", note: planted.rightsNote }
  const { id } = yield* operator("POST", "/operator/rights-requests", asked)
  const details = { displayName: planted.correctedName, email: planted.correctedEmail }
  yield* operator("PATCH", `/operator/consumers/${serviceId}`, { ...details, reason })
  yield* operator("POST", `/operator/people/${serviceId}/rectify`, { country: "GH", reason })
  yield* operator("POST", `/operator/rights-requests/${id}/close`, { status: "DONE", reason })
  yield* operator("GET", `/operator/consumers/${serviceId}`)
  yield* operator("POST", "/operator/ledger/transfers", { kind: "FUNDING", serviceId, amount: 7, reason })
  const books = yield* operator("GET", "/operator/ledger/balances?environment=LIVE")
  for (const account of books.data) yield* operator("GET", `/operator/ledger/accounts/${account.id}/postings`)
  yield* live("GET", `/v1/identity?service_id=${serviceId}`)
  const people = [
    { path: `/operator/people/${serviceId}`, body: { reason } },
    { path: `/operator/people/${testServiceId}`, body: { environment: "TEST", reason } }
  ]
  for (const { body, path } of people) {
    for (const act of ["restrict", "lift-restriction", "export", "export-page"]) {
      yield* operator("POST", `${path}/${act}`, body)
    }
  }
})

/** Creates and erases a person. No column may still contain the person's planted values afterwards. */
const erased = Effect.fnUntraced(function* (operator: Say, { merchantId }: Among) {
  const person = { displayName: planted.erasedName, email: planted.erasedEmail, externalId: planted.erasedExternalId }
  const { serviceId } = yield* operator("POST", "/operator/consumers", person)
  yield* operator("POST", "/operator/payments", { merchantId, serviceId, amount: 3 })
  yield* operator("POST", "/operator/grants", { merchantId, serviceId, fields: ["email"] })
  yield* operator("POST", "/operator/rights-requests", { serviceId, kind: "ERASE", note: planted.erasedNote })
  yield* operator("POST", `/operator/people/${serviceId}/erase`, { reason })
})

export const peopleRun = Effect.fnUntraced(function* (operator: Say, live: Say, among: Among) {
  yield* corrected(operator, live, among)
  yield* erased(operator, among)
})
