import { readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "vitest"
import { makeSurety } from "../Shop.js"
import { walk } from "./Walk.js"

const document: unknown = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../../../../docs/openapi.json"), "utf8")
)

const decidedByOperators = "two people decide, on the console or over HTTP; a call of the host is one"

/** Maps each operation of the HTTP API to the equivalent facade call, or to the reason why it has none. */
const callOf: Readonly<Record<string, string | { readonly none: string }>> = {
  "account.whoami": { none: "tells a merchant about its key; the host has merchants.get and apiKeys.list" },
  "dataRequests.create": "dataRequests.create",
  "dataRequests.list": "dataRequests.list",
  "dataRequests.get": "dataRequests.get",
  "dataRequests.cancel": "dataRequests.cancel",
  "identity.read": "identity.read",
  "refunds.create": "refunds.create",
  "refunds.list": "refunds.list",
  "refunds.get": "refunds.get",
  "verifications.submit": "verifications.create",
  "verifications.list": "verifications.list",
  "verifications.get": "verifications.get",
  "verifications.submitCode": "verifications.submitCode",
  "events.list": "events.list",
  "events.get": "events.get",
  "events.deliveries": "events.deliveries",
  "events.resend": "events.resend",
  "events.types": "events.types",
  "requests.list": "requests.list",
  "testHelpers.createConsumer": "consumers.create",
  "testHelpers.createPayment": "sandbox.recordPayment",
  "testHelpers.settlePayment": "payments.settle",
  "testHelpers.settleRefund": "sandbox.settleRefund",
  "testHelpers.approveDataRequest": "dataRequests.approve",
  "testHelpers.denyDataRequest": "dataRequests.deny",
  "testHelpers.expireDataRequest": "sandbox.expireDataRequest",
  "testHelpers.revokeGrant": "grants.revoke",
  "testHelpers.expireGrant": "sandbox.expireGrant",
  "testHelpers.switchRefunds": "sandbox.switchRefunds",
  "testHelpers.clock": "sandbox.clock",
  "testHelpers.advanceClock": "sandbox.advanceClock",
  "grants.list": "grants.list",
  "grants.get": "grants.get",
  "grants.receipts": "receipts.ofGrant",
  "merchants.create": "merchants.create",
  "merchants.get": "merchants.get",
  "merchants.createApiKey": "apiKeys.create",
  "merchants.listApiKeys": "apiKeys.list",
  "merchants.rotateApiKey": "apiKeys.rotate",
  "merchants.revokeApiKey": "apiKeys.revoke",
  "webhooks.register": "webhooks.register",
  "webhooks.list": "webhooks.list",
  "webhooks.get": "webhooks.get",
  "webhooks.update": "webhooks.update",
  "webhooks.remove": "webhooks.remove",
  "webhooks.rotateSecret": "webhooks.rotateSecret",
  "webhooks.test": "webhooks.sendTest",
  "webhooks.recover": "webhooks.recover",
  "operator.listMerchants": "merchants.list",
  "operator.changeSettings": "merchants.changeSettings",
  "operator.changeStatus": "merchants.changeStatus",
  "operator.link": "consumers.link",
  "operator.listLinks": "consumers.listLinked",
  "operator.unlink": "consumers.unlink",
  "operator.createConsumer": "consumers.create",
  "operator.listConsumers": "consumers.list",
  "operator.createPayment": "payments.record",
  "operator.listPayments": "payments.list",
  "operator.listVerifications": "verifications.list",
  "operator.balances": "ledger.balances",
  "operator.trialBalance": "ledger.trialBalance",
  "operatorConsent.listPendingDataRequests": "dataRequests.pending",
  "operatorConsent.listDisownedDataRequests": "dataRequests.disowned",
  "operatorConsent.listDataRequests": "dataRequests.list",
  "operatorConsent.approveDataRequest": "dataRequests.approve",
  "operatorConsent.denyDataRequest": "dataRequests.deny",
  "operatorConsent.grant": "grants.create",
  "operatorConsent.listGrants": "grants.list",
  "operatorConsent.revokeGrant": "grants.revoke",
  "operatorConsent.issueConsentLink": "grants.issueLink",
  "operatorConsent.listIdentityReads": "identity.reads",
  "operatorConsent.listAskingBlocks": "dataRequests.askingBlocks",
  "operatorConsent.liftAskingBlock": "dataRequests.liftAskingBlock",
  "operatorConsent.listReceipts": "receipts.list",
  "operatorEvents.listEvents": "events.list",
  "operatorEvents.listDeliveries": "events.deliveries",
  "operatorEvents.listAllDeliveries": "events.allDeliveries",
  "operatorEvents.resendEvent": "events.resend",
  "operatorActions.listActions": "actions.list",
  "operatorActions.merchantHistory": "merchants.history",
  "operatorConsumers.getConsumer": "consumers.get",
  "operatorConsumers.changeConsumer": "consumers.update",
  "operatorApprovals.propose": { none: decidedByOperators },
  "operatorApprovals.listProposals": "approvals.list",
  "operatorApprovals.getProposal": "approvals.get",
  "operatorApprovals.approveProposal": { none: decidedByOperators },
  "operatorApprovals.refuseProposal": { none: decidedByOperators },
  "operatorMoney.listRefunds": "refunds.list",
  "operatorMoney.getRefund": { none: "refunds.get with the merchant, which refunds.list of all merchants shows" },
  "operatorMoney.postTransfer": "ledger.transfer",
  "operatorMoney.listPostings": "ledger.postings",
  "people.export": "people.export",
  "people.exportPage": "people.exportPage",
  "people.rectify": "people.rectify",
  "people.restrict": "people.restrict",
  "people.liftRestriction": "people.liftRestriction",
  "people.erase": "people.erase",
  "people.recordRightsRequest": "people.recordRightsRequest",
  "people.listRightsRequests": "people.rightsRequests",
  "people.closeRightsRequest": "people.closeRightsRequest"
}

const operationIdsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "operationId" in value && typeof value.operationId === "string" ? [value.operationId] : []
  return [...own, ...Object.values(value).flatMap(operationIdsIn)]
}

describe("What the HTTP interface can do", () => {
  it("the facade can too, or it is said why not", async () => {
    const calls = new Set(walk(await makeSurety()).map(({ name }) => name))
    // The `webhook.…` operations are requests that Surety sends, so no facade call corresponds to them.
    const operations = operationIdsIn(document).filter((operation) => !operation.startsWith("webhook."))
    assert.isAbove(operations.length, 90)
    assert.deepStrictEqual(
      operations.filter((operation) => callOf[operation] === undefined),
      [],
      "a new operation has its call"
    )
    assert.deepStrictEqual(
      Object.entries(callOf).filter(([, call]) => typeof call === "string" && !calls.has(call)),
      []
    )
    assert.deepStrictEqual(
      Object.keys(callOf).filter((operation) => !operations.includes(operation)),
      [],
      "an operation that is gone"
    )
  })
})
