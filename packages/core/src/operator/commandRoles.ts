import type { MerchantStatus } from "../merchant/Merchant.js"
import type { OperatorRole } from "./Operator.js"

/**
 * Roles required for operator commands, identical in the console and over HTTP. `support` may suspend merchants, since
 * a suspension can be undone. Only an `admin` may, for example, reactivate merchants, revoke API keys, end others'
 * sessions and erase people.
 */
export const commandRoles = {
  "merchant.suspend": "support",
  "merchant.activate": "admin",
  "merchant.close": "admin",
  "merchant.review": "admin",
  "merchant.changeSettings": "admin",
  "apiKey.revoke": "admin",
  "endpoint.test": "support",
  "endpoint.recover": "support",
  /** Disables or enables the endpoint. */
  "endpoint.switch": "support",
  /** Changes the endpoint's url, topics or delivery rate. */
  "endpoint.change": "admin",
  "event.resend": "support",
  "consumer.correct": "support",
  "person.restrict": "support",
  "person.export": "support",
  "person.erase": "admin",
  "dataRequest.decide": "support",
  "grant.revoke": "support",
  "askingBlock.lift": "admin",
  "consentLink.show": "support",
  "rightsRequest.close": "support",
  /** Starts the checks of `surety verify`. */
  "books.check": "money",
  "transfer.post": "money",
  "transfer.approve": "money",
  "transfer.refuse": "money",
  "erasure.propose": "support",
  "erasure.approve": "admin",
  "erasure.refuse": "support",
  "session.end": "admin"
} as const satisfies Readonly<Record<string, OperatorRole>>

/**
 * Returns the role required to set a merchant's status to `to`. All statuses except `SUSPENDED` need the role of
 * `merchant.activate`, which `merchant.review` and `merchant.close` share.
 */
export const roleForStatus = (to: MerchantStatus): OperatorRole =>
  to === "SUSPENDED" ? commandRoles["merchant.suspend"] : commandRoles["merchant.activate"]
