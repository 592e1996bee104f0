import { includesRole, type OperatorRole } from "@surety/core/operator/Operator"

/**
 * The role that each route of operators asks for, by its group and name. A route that is missing here is an `admin`'s: a
 * new one is closed until it gets a line.
 */
export const operatorRoles: Readonly<Record<string, OperatorRole>> = {
  "merchants.create": "admin",
  "merchants.get": "viewer",
  "merchants.createApiKey": "admin",
  "merchants.listApiKeys": "viewer",
  "merchants.revokeApiKey": "admin",

  "webhooks.register": "admin",
  "webhooks.list": "viewer",
  "webhooks.get": "viewer",
  "webhooks.update": "admin",
  "webhooks.remove": "admin",
  "webhooks.rotateSecret": "admin",
  "webhooks.test": "support",
  "webhooks.recover": "support",

  "operator.listMerchants": "viewer",
  "operator.changeSettings": "admin",
  "operator.changeStatus": "admin",
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
  "operatorMoney.postTransfer": "money",
  "operatorMoney.listPostings": "viewer",

  "operatorConsumers.getConsumer": "viewer",
  "operatorConsumers.changeConsumer": "support",

  // It has the links on which people decide, wherever no notifier brings them.
  "operatorConsent.listPendingDataRequests": "support",
  "operatorConsent.listDisownedDataRequests": "viewer",
  "operatorConsent.listDataRequests": "viewer",
  "operatorConsent.approveDataRequest": "support",
  "operatorConsent.denyDataRequest": "support",
  "operatorConsent.grant": "support",
  "operatorConsent.listGrants": "viewer",
  "operatorConsent.revokeGrant": "support",
  "operatorConsent.issueConsentLink": "support",
  "operatorConsent.listIdentityReads": "viewer",
  "operatorConsent.listAskingBlocks": "viewer",
  "operatorConsent.liftAskingBlock": "support",
  "operatorConsent.listReceipts": "viewer",

  // An export holds everything that is known of a person.
  "people.export": "support",
  "people.exportPage": "support",
  "people.restrict": "support",
  "people.liftRestriction": "support",
  "people.erase": "admin",
  "people.recordRightsRequest": "support",
  "people.listRightsRequests": "viewer",
  "people.closeRightsRequest": "support",

  "operatorEvents.listEvents": "viewer",
  "operatorEvents.listDeliveries": "viewer",
  "operatorEvents.listAllDeliveries": "viewer",
  "operatorEvents.resendEvent": "support"
}

/** The role that a route asks for. */
export const roleFor = (group: string, endpoint: string): OperatorRole =>
  operatorRoles[`${group}.${endpoint}`] ?? "admin"

/** Whether an operator of this role may use the route. */
export const mayCall = (role: OperatorRole, group: string, endpoint: string): boolean =>
  includesRole(role, roleFor(group, endpoint))
