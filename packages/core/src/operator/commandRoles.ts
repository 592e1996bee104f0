import type { MerchantStatus } from "../merchant/Merchant.js"
import type { OperatorRole } from "./Operator.js"

/**
 * The role that each command of operators asks for, on the console and over HTTP alike. `support` may stop things, if
 * that can be undone; only an `admin` restores access, makes keys, and erases.
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
  /** Disables it, or enables it again. */
  "endpoint.switch": "support",
  /** Changes where or what it is sent. */
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
  /** Starts `surety verify`'s checks. */
  "books.check": "money",
  "transfer.post": "money",
  "transfer.approve": "money",
  "transfer.refuse": "money",
  "erasure.propose": "support",
  "erasure.approve": "admin",
  "erasure.refuse": "support",
  "session.end": "admin"
} as const satisfies Readonly<Record<string, OperatorRole>>

/** The role that may give a merchant a status. A merchant that waits is reviewed; any other is activated. */
export const roleForStatus = (to: MerchantStatus): OperatorRole =>
  to === "SUSPENDED" ? commandRoles["merchant.suspend"] : commandRoles["merchant.activate"]
