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
  "testHelpers.createConsumer": { method: "POST", path: "/v1/test-helpers/consumers" },
  "testHelpers.createPayment": { method: "POST", path: "/v1/test-helpers/payments" },
  "testHelpers.settlePayment": { method: "POST", path: "/v1/test-helpers/payments/{transactionId}/settle" },
  "testHelpers.approveDataRequest": { method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/approve" },
  "testHelpers.denyDataRequest": { method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/deny" },
  "testHelpers.revokeGrant": { method: "POST", path: "/v1/test-helpers/grants/{grantId}/revoke" }
}
