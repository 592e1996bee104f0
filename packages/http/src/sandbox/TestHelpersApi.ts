import type { RefundNotWaiting } from "@surety/core/refund/RefundError"
import type { ClockTooFar } from "@surety/core/sandbox/Sandbox"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess, SandboxOnly } from "../access/MerchantAccess.js"
import {
  consentBlocked,
  consentInputInvalid,
  consumerNotFoundAt,
  decisionRefusals
} from "../consent/ConsentRefusals.js"
import { DataRequestRecord } from "../consent/DataRequestRecord.js"
import { GrantRecord } from "../consent/GrantRecord.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { NoFields } from "../field/NoFields.js"
import { merchantNotActive } from "../merchant/MerchantRefusals.js"
import { PaymentRecord, paymentAlreadyRecorded } from "../payment/PaymentRecord.js"
import { problem } from "../problem/Problem.js"
import { problems } from "../problem/ProblemDetails.js"
import { type RefusedAs, undocumented } from "../problem/Refusal.js"
import { RefundRecord } from "../refund/RefundRecord.js"
import {
  TestApprovalRequest,
  TestClockRecord,
  TestClockRequest,
  TestConsumerRequest,
  TestMerchantRecord,
  TestMerchantRequest,
  TestPaymentRequest,
  TestSettlementRequest
} from "./TestHelperBodies.js"

const requestPath = { dataRequestId: Schema.String }

const refundNotWaiting: RefusedAs<RefundNotWaiting> = {
  codes: ["refund_not_waiting"],
  problem: ({ status }) => problem("refund_not_waiting", { extension: { refundStatus: status } })
}

const clockTooFar: RefusedAs<ClockTooFar> = {
  codes: ["test_clock_limit"],
  problem: ({ leftSeconds }) => problem("test_clock_limit", { extension: { leftSeconds } })
}

/**
 * Refusals for the errors of each test helper. A REJECTED or CLOSED merchant is refused earlier, when its key is
 * checked, except in a race.
 */
export const testHelperRefusals = {
  createConsumer: {
    // The ids are generated, so they are never taken. The caller's merchant exists, and is REJECTED or CLOSED only in a
    // race.
    ServiceIdTaken: undocumented("service_id_taken"),
    UserIdTaken: undocumented("user_id_taken"),
    MerchantNotFound: undocumented("merchant_not_found"),
    MerchantNotActive: undocumented(merchantNotActive)
  },
  createPayment: {
    ConsumerNotFound: consumerNotFoundAt("service_id"),
    PaymentAlreadyRecorded: paymentAlreadyRecorded,
    WalletBalanceTooSmall: "wallet_balance_too_small"
  },
  settlePayment: { PaymentNotFound: "payment_not_found", PaymentAlreadySettled: "payment_already_settled" },
  approveDataRequest: {
    ...decisionRefusals,
    ConsentRequestInvalid: consentInputInvalid,
    MerchantNotActive: undocumented(merchantNotActive),
    AskingBlocked: consentBlocked
  },
  denyDataRequest: decisionRefusals,
  expireDataRequest: decisionRefusals,
  revokeGrant: { GrantNotFound: "grant_not_found" },
  expireGrant: { GrantNotFound: "grant_not_found" },
  settleRefund: { RefundNotFound: "refund_not_found", RefundNotWaiting: refundNotWaiting },
  switchRefunds: { MerchantNotFound: undocumented("merchant_not_found") },
  clock: { MerchantNotFound: undocumented("merchant_not_found") },
  advanceClock: { MerchantNotFound: undocumented("merchant_not_found"), ClockTooFar: clockTooFar }
} as const

/**
 * Routes with which a merchant tests its integration without the platform or real people. The routes exist only for
 * TEST keys (contract 14).
 */
export class TestHelpersApi extends HttpApiGroup.make("testHelpers")
  .add(
    HttpApiEndpoint.post("createConsumer", "/v1/test-helpers/consumers", {
      payload: TestConsumerRequest,
      success: ConsumerRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create a test consumer",
        description: "Every field is optional, and so is the body.",
        bodyOptional: true,
        refusals: testHelperRefusals.createConsumer
      })
    ),
    HttpApiEndpoint.post("createPayment", "/v1/test-helpers/payments", {
      payload: TestPaymentRequest,
      success: PaymentRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Create a test payment",
        description:
          "Funds the consumer's primary wallet and pays from it. A settled one emits transaction.settled. refund_outcome " +
          "sets the outcome of its refunds.",
        refusals: testHelperRefusals.createPayment
      })
    ),
    HttpApiEndpoint.post("settlePayment", "/v1/test-helpers/payments/:transactionId/settle", {
      params: { transactionId: Schema.String },
      payload: NoFields,
      success: PaymentRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Settle a test payment",
        description: "For a payment created with settled: false. Emits transaction.settled.",
        bodyOptional: true,
        refusals: testHelperRefusals.settlePayment
      })
    ),
    HttpApiEndpoint.post("settleRefund", "/v1/test-helpers/refunds/:refundId/settle", {
      params: { refundId: Schema.String },
      payload: TestSettlementRequest,
      success: RefundRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Settle a pending refund in the wallet's place",
        description:
          "For a refund of a test payment with refund_outcome pending. Completed emits refund.completed; failed returns the " +
          "money to you and frees the Idempotency-Key.",
        refusals: testHelperRefusals.settleRefund
      })
    ),
    HttpApiEndpoint.post("approveDataRequest", "/v1/test-helpers/data-requests/:dataRequestId/approve", {
      params: requestPath,
      payload: TestApprovalRequest,
      success: DataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Approve a data request in the test consumer's place",
        description: "Approves all requested fields, or some of them. The body is optional.",
        bodyOptional: true,
        refusals: testHelperRefusals.approveDataRequest
      })
    ),
    HttpApiEndpoint.post("denyDataRequest", "/v1/test-helpers/data-requests/:dataRequestId/deny", {
      params: requestPath,
      payload: NoFields,
      success: DataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Deny a data request in the test consumer's place",
        description: "As the person would on the page. The body is optional.",
        bodyOptional: true,
        refusals: testHelperRefusals.denyDataRequest
      })
    ),
    HttpApiEndpoint.post("expireDataRequest", "/v1/test-helpers/data-requests/:dataRequestId/expire", {
      params: requestPath,
      payload: NoFields,
      success: DataRequestRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Let a pending data request expire now",
        description: "The same as waiting until it expires. The body is optional.",
        bodyOptional: true,
        refusals: testHelperRefusals.expireDataRequest
      })
    ),
    HttpApiEndpoint.post("revokeGrant", "/v1/test-helpers/grants/:grantId/revoke", {
      params: { grantId: Schema.String },
      payload: NoFields,
      success: GrantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Revoke a grant in the test consumer's place",
        description: "Reading stops with the next call. A grant that has already ended is returned unchanged.",
        bodyOptional: true,
        refusals: testHelperRefusals.revokeGrant
      })
    ),
    HttpApiEndpoint.post("expireGrant", "/v1/test-helpers/grants/:grantId/expire", {
      params: { grantId: Schema.String },
      payload: NoFields,
      success: GrantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Let a grant expire now",
        description: "Reading stops with the next call. A grant that has already ended is returned unchanged.",
        bodyOptional: true,
        refusals: testHelperRefusals.expireGrant
      })
    ),
    HttpApiEndpoint.post("switchRefunds", "/v1/test-helpers/merchant", {
      payload: TestMerchantRequest,
      success: TestMerchantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Switch your TEST refunds on or off",
        description: "Off: refunds get 403 refunds_forbidden. LIVE refunds are not affected.",
        refusals: testHelperRefusals.switchRefunds
      })
    ),
    HttpApiEndpoint.get("clock", "/v1/test-helpers/clock", { success: TestClockRecord, error: problems }).annotateMerge(
      documented({
        summary: "Read your test clock",
        description: "How far it has been moved forward.",
        refusals: testHelperRefusals.clock
      })
    ),
    HttpApiEndpoint.post("advanceClock", "/v1/test-helpers/clock", {
      payload: TestClockRequest,
      success: TestClockRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Move your test clock forward",
        description:
          "Brings forward what waits in your TEST environment: the expiry of requests and grants, reminders, webhook " +
          "retries, KYC lookups and the sandbox's delays. 400 days in all, never back. Times in records stay real, so expiresAt moves.",
        refusals: testHelperRefusals.advanceClock
      })
    )
  )
  .annotateEndpoints(SandboxOnly, true)
  .middleware(MerchantAccess)
  .annotateMerge(
    OpenApi.annotations({
      title: "Test helpers",
      description: "TEST keys only; for LIVE keys these routes do not exist."
    })
  ) {}
