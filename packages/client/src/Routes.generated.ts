// Generated from the interface's definition by `vitest -u packages/client`.

import type { Operations } from "./Interface.generated.js"
import type { Route } from "./Route.js"

/** How each operation of the interface is reached. */
export const routes: Readonly<Record<keyof Operations, Route>> = {
  "account.whoami": { method: "GET", path: "/v1/whoami" },
  "dataRequests.create": { method: "POST", path: "/v1/data-requests", keyed: true },
  "dataRequests.list": { method: "GET", path: "/v1/data-requests" },
  "dataRequests.get": { method: "GET", path: "/v1/data-requests/{dataRequestId}" },
  "dataRequests.cancel": { method: "POST", path: "/v1/data-requests/{dataRequestId}/cancel" },
  "identity.read": { method: "GET", path: "/v1/identity" },
  "refunds.create": { method: "POST", path: "/v1/refunds", keyed: true },
  "refunds.list": { method: "GET", path: "/v1/refunds" },
  "refunds.get": { method: "GET", path: "/v1/refunds/{refundId}" },
  "verifications.submit": { method: "POST", path: "/v1/kyc/verifications", keyed: true },
  "verifications.list": { method: "GET", path: "/v1/kyc/verifications" },
  "verifications.get": { method: "GET", path: "/v1/kyc/verifications/{reference}" },
  "verifications.submitCode": { method: "POST", path: "/v1/kyc/verifications/{reference}/code" },
  "events.list": { method: "GET", path: "/v1/events" },
  "events.get": { method: "GET", path: "/v1/events/{eventId}" },
  "events.deliveries": { method: "GET", path: "/v1/events/{eventId}/deliveries" },
  "events.resend": { method: "POST", path: "/v1/events/{eventId}/resend" },
  "events.types": { method: "GET", path: "/v1/event-types" },
  "requests.list": { method: "GET", path: "/v1/requests" },
  "testHelpers.createConsumer": { method: "POST", path: "/v1/test-helpers/consumers" },
  "testHelpers.createPayment": { method: "POST", path: "/v1/test-helpers/payments" },
  "testHelpers.settlePayment": { method: "POST", path: "/v1/test-helpers/payments/{transactionId}/settle" },
  "testHelpers.settleRefund": { method: "POST", path: "/v1/test-helpers/refunds/{refundId}/settle" },
  "testHelpers.approveDataRequest": { method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/approve" },
  "testHelpers.denyDataRequest": { method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/deny" },
  "testHelpers.expireDataRequest": { method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/expire" },
  "testHelpers.revokeGrant": { method: "POST", path: "/v1/test-helpers/grants/{grantId}/revoke" },
  "testHelpers.expireGrant": { method: "POST", path: "/v1/test-helpers/grants/{grantId}/expire" },
  "testHelpers.switchRefunds": { method: "POST", path: "/v1/test-helpers/merchant" },
  "testHelpers.clock": { method: "GET", path: "/v1/test-helpers/clock" },
  "testHelpers.advanceClock": { method: "POST", path: "/v1/test-helpers/clock" }
}
