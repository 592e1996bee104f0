import { Option, Schema } from "effect"
import { type ConsentState, ReceiptBody } from "../../consent/receipt/Receipt.js"
import type { LedgerFault } from "../../ledger/Ledger.js"
import { type MemoryState, scopedKey } from "../MemoryState.js"

type State = MemoryState["Service"]

const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(ReceiptBody))

const receiptedIn = (state: State): ReadonlySet<string> =>
  new Set(
    [...state.receipts.values()].flatMap((receipt) =>
      Option.match(decodeBody(receipt.body), {
        onNone: () => [],
        onSome: ({ events, recordId }) => [scopedKey(receipt, `${recordId}/${events.at(-1)?.state}`)]
      })
    )
  )

/**
 * Finds grants that lack a receipt of their start or, if ended, of their end. Also finds denied or expired data
 * requests without a receipt. A cancelled request needs none.
 */
function* receiptFaults(state: State): Generator<LedgerFault> {
  const receipted = receiptedIn(state)
  const consents: Array<readonly [{ readonly id: string } & Parameters<typeof scopedKey>[0], ConsentState]> = []
  for (const grant of state.grants.values()) {
    consents.push([grant, "GRANTED"])
    if (grant.status !== "ACTIVE") consents.push([grant, grant.status])
  }
  for (const { request } of state.dataRequests.values()) {
    if (request.status === "DENIED" || request.status === "EXPIRED") consents.push([request, request.status])
  }
  for (const [record, became] of consents) {
    if (receipted.has(scopedKey(record, `${record.id}/${became}`))) continue
    yield { check: "consents_have_receipts", subject: record.id, detail: `no receipt that it is ${became}` }
  }
}

function* verificationFaults(state: State): Generator<LedgerFault> {
  const receipted = receiptedIn(state)
  for (const { verification } of state.verifications.values()) {
    if (receipted.has(scopedKey(verification, `${verification.id}/ATTESTED`))) continue
    yield { check: "verifications_have_receipts", subject: verification.id, detail: "no receipt that it is ATTESTED" }
  }
}

/**
 * Finds grants with a `dataRequestId` whose request is missing or not approved. Also finds requests that were approved
 * by a decision but led to no grant.
 */
function* requestFaults(state: State): Generator<LedgerFault> {
  const answered = new Set<string>()
  for (const { dataRequestId, id } of state.grants.values()) {
    if (dataRequestId === undefined) continue
    answered.add(dataRequestId)
    const status = state.dataRequests.get(dataRequestId)?.request.status ?? "missing"
    if (status === "APPROVED") continue
    yield { check: "grants_have_requests", subject: id, detail: `its request ${dataRequestId} is ${status}` }
  }
  for (const { request } of state.dataRequests.values()) {
    if (request.status !== "APPROVED" || request.decidedBy === undefined || answered.has(request.id)) continue
    yield { check: "grants_have_requests", subject: request.id, detail: "approved without a grant" }
  }
}

export function* consentFaults(state: State): Generator<LedgerFault> {
  yield* receiptFaults(state)
  yield* verificationFaults(state)
  yield* requestFaults(state)
}
