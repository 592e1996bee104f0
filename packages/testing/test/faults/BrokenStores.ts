import * as ConsentDecisions from "./consentDecisions.js"
import * as ConsentLists from "./consentLists.js"
import * as ConsentRequests from "./consentRequests.js"
import * as Deliveries from "./deliveries.js"
import * as Events from "./events.js"
import type { Broken } from "./Fault.js"
import * as Limits from "./limits.js"
import * as Merchants from "./merchants.js"
import * as Payments from "./payments.js"
import * as Refunds from "./refunds.js"
import * as VerificationLeases from "./verificationLeases.js"
import * as Verifications from "./verifications.js"

/** Every broken store of the table. */
export const brokenStores: ReadonlyArray<Broken> = [
  ...Merchants.brokenStores,
  ...Payments.brokenStores,
  ...Refunds.brokenStores,
  ...ConsentRequests.brokenStores,
  ...ConsentDecisions.brokenStores,
  ...ConsentLists.brokenStores,
  ...Verifications.brokenStores,
  ...VerificationLeases.brokenStores,
  ...Events.brokenStores,
  ...Deliveries.brokenStores,
  ...Limits.brokenStores
]
