import { at, type Example, later, merchantId, page, pageOfTest, refund, serviceId, userId } from "./exampleValues.js"

/** Id of a ledger account: `["TEST","SETTLEMENT","NGN", merchantId]` as JSON in base64url. */
export const settlementId = "WyJURVNUIiwiU0VUVExFTUVOVCIsIk5HTiIsIm1lcmNoYW50XzAxazd3cThxdGtldGViejhrM3AzOTg1bjV0Il0"

const actionId = "action_01k7wqc1h8f3y9m2p5r7t0v4xz"
const transferId = "transfer_01k7wqd3kae7x1n4q6s8v0w2yz"

const consumer = {
  userId,
  serviceId,
  environment: "TEST",
  displayName: "Ada Obi",
  country: "NG",
  email: "ada@mail.example",
  phoneVerified: true,
  createdAt: at
}

const operatorRefund = { ...refund, environment: "TEST", createdAt: later }

const payout = {
  kind: "PAYOUT",
  environment: "TEST",
  amount: 1000.5,
  currency: "NGN",
  merchantId,
  reason: "Weekly payout"
}

const large = { ...payout, amount: 50_000 }

const proposal = {
  ...large,
  id: "proposal_01k7wqe2mbf8z2p5r7t9v1x3ab",
  status: "OPEN",
  proposedBy: "ada",
  proposedAt: at,
  endsAt: "2026-03-03T09:30:00.000Z"
}

export const operatorExamples: Readonly<Record<string, Example>> = {
  "operatorActions.listActions": {
    response: page({
      id: actionId,
      actor: "ada",
      kind: "merchant.status_changed",
      target: merchantId,
      merchantId,
      reason: "Papers checked",
      changes: [{ field: "status", from: "PENDING_REVIEW", to: "ACTIVE" }],
      at: later
    })
  },
  "operatorActions.merchantHistory": {
    response: {
      data: [
        { to: "PENDING_REVIEW", actor: "applicant", at },
        { from: "PENDING_REVIEW", to: "ACTIVE", actor: "ada", reason: "Papers checked", at: later }
      ]
    }
  },
  "operatorConsumers.getConsumer": { response: consumer },
  "operatorConsumers.changeConsumer": {
    request: { environment: "TEST", displayName: "Ada Eze", reason: "She sent her papers" },
    response: { ...consumer, displayName: "Ada Eze" }
  },
  "operatorApprovals.propose": { request: large, response: proposal },
  "operatorApprovals.listProposals": { response: pageOfTest(proposal) },
  "operatorApprovals.getProposal": { response: proposal },
  "operatorApprovals.approveProposal": {
    request: { amount: large.amount, currency: "NGN", reason: "Bank statement checked" },
    response: { ...proposal, status: "APPROVED", decidedBy: "obi", decidedAt: later, transferId }
  },
  "operatorApprovals.refuseProposal": {
    request: { reason: "Wrong week" },
    response: { ...proposal, status: "REFUSED", decidedBy: "obi", decidedAt: later, refusal: "Wrong week" }
  },
  "operatorMoney.listRefunds": { response: pageOfTest(operatorRefund) },
  "operatorMoney.getRefund": { response: operatorRefund },
  "operatorMoney.postTransfer": { request: payout, response: { transferId, ...payout, at: later } },
  "operatorMoney.listPostings": {
    response: pageOfTest({
      transferId,
      kind: "PAYOUT",
      side: "DEBIT",
      currency: "NGN",
      amount: "100050",
      otherAccount: { id: "WyJURVNUIiwiRVhURVJOQUwiLCJOR04iLCJwbGF0Zm9ybSJd", kind: "EXTERNAL", owner: "platform" },
      cause: transferId,
      at: later
    })
  }
}
