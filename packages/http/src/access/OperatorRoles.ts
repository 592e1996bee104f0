import { commandRoles } from "@surety/core/operator/commandRoles"
import { includesRole, type Operator, type OperatorRole } from "@surety/core/operator/Operator"
import { Effect } from "effect"
import { type Problem, problem } from "../problem/Problem.js"

/**
 * Role that each operator or provisioning route requires, by group and name. A route missing from this table requires
 * `admin`, so that no other role can call a new route by mistake. A route with several commands requires the lowest of
 * their roles, or any one of the roles if they are unrelated. Its handler then checks the command's own role
 * (`requireRole`).
 */
export const operatorRoles: Readonly<Record<string, OperatorRole | ReadonlyArray<OperatorRole>>> = {
  "merchants.create": "admin",
  "merchants.get": "viewer",
  "merchants.createApiKey": "admin",
  "merchants.listApiKeys": "viewer",
  "merchants.revokeApiKey": commandRoles["apiKey.revoke"],
  "merchants.rotateApiKey": "admin",

  "webhooks.register": "admin",
  "webhooks.list": "viewer",
  "webhooks.get": "viewer",
  "webhooks.update": commandRoles["endpoint.switch"],
  "webhooks.remove": "admin",
  "webhooks.rotateSecret": "admin",
  "webhooks.test": commandRoles["endpoint.test"],
  "webhooks.recover": commandRoles["endpoint.recover"],

  "operator.listMerchants": "viewer",
  "operator.changeSettings": commandRoles["merchant.changeSettings"],
  "operator.changeStatus": commandRoles["merchant.suspend"],
  "operator.link": "support",
  "operator.listLinks": "viewer",
  "operator.unlink": "support",
  "operator.createConsumer": "support",
  "operator.listConsumers": "viewer",
  "operator.createPayment": "money",
  "operator.listPayments": "viewer",
  "operator.listVerifications": "viewer",
  "operator.balances": "viewer",
  "operator.trialBalance": "viewer",

  "operatorActions.listActions": "viewer",
  "operatorActions.merchantHistory": "viewer",

  "operatorMoney.listRefunds": "viewer",
  "operatorMoney.getRefund": "viewer",
  "operatorMoney.postTransfer": commandRoles["transfer.post"],
  "operatorMoney.listPostings": "viewer",

  "operatorApprovals.propose": [commandRoles["transfer.post"], commandRoles["erasure.propose"]],
  "operatorApprovals.listProposals": "viewer",
  "operatorApprovals.getProposal": "viewer",
  "operatorApprovals.approveProposal": commandRoles["transfer.approve"],
  "operatorApprovals.refuseProposal": [commandRoles["transfer.refuse"], commandRoles["erasure.refuse"]],

  "operatorConsumers.getConsumer": "viewer",
  "operatorConsumers.changeConsumer": commandRoles["consumer.correct"],

  // This list may contain consent links, so it requires the role that may see them.
  "operatorConsent.listPendingDataRequests": commandRoles["consentLink.show"],
  "operatorConsent.listDisownedDataRequests": "viewer",
  "operatorConsent.listDataRequests": "viewer",
  "operatorConsent.approveDataRequest": commandRoles["dataRequest.decide"],
  "operatorConsent.denyDataRequest": commandRoles["dataRequest.decide"],
  "operatorConsent.grant": "support",
  "operatorConsent.listGrants": "viewer",
  "operatorConsent.revokeGrant": commandRoles["grant.revoke"],
  "operatorConsent.issueConsentLink": "support",
  "operatorConsent.listIdentityReads": "viewer",
  "operatorConsent.listAskingBlocks": "viewer",
  "operatorConsent.liftAskingBlock": commandRoles["askingBlock.lift"],
  "operatorConsent.listReceipts": "viewer",

  // An export collects a person's data, so the role `viewer` does not suffice.
  "people.export": commandRoles["person.export"],
  "people.exportPage": commandRoles["person.export"],
  "people.rectify": commandRoles["consumer.correct"],
  "people.restrict": commandRoles["person.restrict"],
  "people.liftRestriction": commandRoles["person.restrict"],
  "people.erase": commandRoles["person.erase"],
  "people.recordRightsRequest": "support",
  "people.listRightsRequests": "viewer",
  "people.closeRightsRequest": commandRoles["rightsRequest.close"],

  "operatorEvents.listEvents": "viewer",
  "operatorEvents.listDeliveries": "viewer",
  "operatorEvents.listAllDeliveries": "viewer",
  "operatorEvents.resendEvent": commandRoles["event.resend"]
}

/** Returns the roles that a route requires. Any one of them, or a role that includes it (`includesRole`), suffices. */
export const rolesFor = (group: string, endpoint: string): ReadonlyArray<OperatorRole> => {
  const roles = operatorRoles[`${group}.${endpoint}`] ?? "admin"
  return typeof roles === "string" ? [roles] : roles
}

export const mayCall = (role: OperatorRole, group: string, endpoint: string): boolean =>
  rolesFor(group, endpoint).some((needed) => includesRole(role, needed))

export const roleProblem = ({ role }: Pick<Operator, "role">, needed: ReadonlyArray<OperatorRole>): Problem =>
  problem("operator_forbidden", {
    detail: `The role ${role} may not do this. It requires the role ${[...new Set([...needed, "admin"])].join(" or ")}.`
  })

/**
 * Fails unless the operator's role includes `needed`, the role that one command of a multi-command route requires.
 * `operator` is undefined on an open provisioning route, where every command may run.
 */
export const requireRole = (operator: Operator | undefined, needed: OperatorRole): Effect.Effect<void, Problem> =>
  operator === undefined || includesRole(operator.role, needed)
    ? Effect.void
    : Effect.fail(roleProblem(operator, [needed]))
