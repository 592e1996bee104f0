import { pages } from "@surety/console/page/pages"
import { commandRoles, roleForStatus } from "@surety/core/operator/commandRoles"
import { rolesFor } from "@surety/http/access/OperatorRoles"
import { assert, describe, it } from "vitest"

/** Maps each console form to the equivalent HTTP route, or to the reason why no route's role is compared. */
const routeOf: Readonly<Record<string, string | { readonly none: string }>> = {
  "overview check": { none: "the command line has it, as surety verify" },
  "merchants/:merchantId/keys/:keyId revoke": "merchants.revokeApiKey",
  "merchants/:merchantId/suspend status": "operator.changeStatus",
  "merchants/:merchantId/activate status": { none: "operator.changeStatus, whose handler asks for more" },
  "merchants/:merchantId/close status": { none: "operator.changeStatus, whose handler asks for more" },
  "merchants/:merchantId/review verdict": { none: "operator.changeStatus, whose handler asks for more" },
  "merchants/:merchantId/settings refunds": "operator.changeSettings",
  "merchants/:merchantId/settings overdraft": "operator.changeSettings",
  "people/:consumerId look": { none: "over HTTP a role sees a person's details or does not" },
  "people/:consumerId/correct look": { none: "over HTTP a role sees a person's details or does not" },
  "people/:consumerId/correct correct": "people.rectify",
  "people/:consumerId/restrict restrict": "people.restrict",
  "people/:consumerId/restrict lift": "people.liftRestriction",
  "people/:consumerId/export export": "people.export",
  "people/:consumerId/erase erase": { none: "proposes; without a second operator it takes the role of people.erase" },
  "consents/requests/:requestId approve": "operatorConsent.approveDataRequest",
  "consents/requests/:requestId deny": "operatorConsent.denyDataRequest",
  "consents/grants/:grantId revoke": "operatorConsent.revokeGrant",
  "consents/links show": "operatorConsent.listPendingDataRequests",
  "merchants/:merchantId/blocks/:consumerId lift": "operatorConsent.liftAskingBlock",
  "rights/:rightsId done": "people.closeRightsRequest",
  "rights/:rightsId refuse": "people.closeRightsRequest",
  "refunds/:refundId/resend resend": "operatorEvents.resendEvent",
  "events/:eventId resend": "operatorEvents.resendEvent",
  "ledger/post post": "operatorMoney.postTransfer",
  "approvals/:proposalId approveTransfer": "operatorApprovals.approveProposal",
  "approvals/:proposalId approveErasure": { none: "operatorApprovals.approveProposal, whose handler asks for more" },
  "approvals/:proposalId refuseTransfer": "operatorApprovals.refuseProposal",
  "approvals/:proposalId refuseErasure": "operatorApprovals.refuseProposal",
  "endpoints/:endpointId test": "webhooks.test",
  "endpoints/:endpointId recover": "webhooks.recover",
  "endpoints/:endpointId enable": "webhooks.update",
  "endpoints/:endpointId/disable disable": "webhooks.update",
  "operators/:sessionId end": { none: "sessions are the console's" }
}

const forms = pages.flatMap(({ forms = {}, path }) =>
  Object.entries(forms).map(([name, form]) => [`${path} ${name}`, form] as const)
)

describe("A form of the console", () => {
  it("has a route over HTTP, or it is said why not", () => {
    assert.deepStrictEqual(forms.map(([name]) => name).sort(), Object.keys(routeOf).sort())
  })

  it.each(forms)("asks for the role of its route: %s", (name, { role }) => {
    const route = routeOf[name]
    if (typeof route !== "string") return
    const [group = "", endpoint = ""] = route.split(".")
    assert.include(rolesFor(group, endpoint), role)
  })

  it("that gives a merchant a status asks for the role that the route's handler asks for", () => {
    assert.strictEqual(roleForStatus("SUSPENDED"), commandRoles["merchant.suspend"])
    assert.strictEqual(roleForStatus("ACTIVE"), commandRoles["merchant.activate"])
    assert.strictEqual(roleForStatus("ACTIVE"), commandRoles["merchant.review"])
    assert.strictEqual(roleForStatus("REJECTED"), commandRoles["merchant.review"])
    assert.strictEqual(roleForStatus("CLOSED"), commandRoles["merchant.close"])
  })
})
