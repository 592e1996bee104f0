import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { Amount, CurrencyCode, Reference } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText } from "@surety/core/input/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess, SandboxOnly } from "../access/MerchantAccess.js"
import { consentInputInvalid, consumerNotFoundAt, decisionRefusals } from "../consent/ConsentRefusals.js"
import { DataRequestRecord } from "../consent/DataRequestRecord.js"
import { GrantRecord } from "../consent/GrantRecord.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { NoFields } from "../field/NoFields.js"
import { merchantNotActive } from "../merchant/MerchantRefusals.js"
import { PaymentRecord, paymentAlreadyRecorded } from "../payment/PaymentRecord.js"
import { problems } from "../problem/ProblemDetails.js"
import { undocumented } from "../problem/Refusal.js"

/** The body of `POST /v1/test-helpers/consumers` (contract 14). */
export const TestConsumerRequest = Schema.Struct({
  display_name: Schema.optionalKey(filledText(120)),
  country: Schema.optionalKey(Country),
  email: Schema.optionalKey(EmailAddress),
  phone_verified: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default false." })),
  linked: Schema.optionalKey(
    Schema.Boolean.annotateKey({ description: "Whether you may name the consumer. Default true." })
  ),
  ask_limits: Schema.optionalKey(
    Schema.Boolean.annotateKey({
      description: "Whether asking this consumer is bounded as it is in LIVE. Default false."
    })
  )
}).annotate({ identifier: "TestConsumerRequest" })

/** The body of `POST /v1/test-helpers/payments` (contract 14). */
export const TestPaymentRequest = Schema.Struct({
  service_id: ServiceId,
  amount: Amount,
  currency: Schema.optionalKey(CurrencyCode),
  reference: Schema.optionalKey(Reference.annotateKey({ description: "Default: one is made." })),
  settled: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default true." }))
}).annotate({ identifier: "TestPaymentRequest" })

/** The body of `POST /v1/test-helpers/data-requests/{id}/approve` (contract 14). */
export const TestApprovalRequest = Schema.Struct({
  fields: Schema.optionalKey(
    IdentityFieldNames.pipe(
      Schema.annotateEncoded({ description: "Of the requested fields, those that may be read. Default: all." })
    )
  )
}).annotate({ identifier: "TestApprovalRequest" })

const requestPath = { dataRequestId: Schema.String }

/** Refusals of the test helpers. An inactive merchant is normally refused earlier, by its key. */
export const testHelperRefusals = {
  createConsumer: {
    // The ids are new, and the merchant is the caller.
    ServiceIdTaken: undocumented("service_id_taken"),
    UserIdTaken: undocumented("user_id_taken"),
    MerchantNotFound: undocumented("merchant_not_found"),
    MerchantNotActive: undocumented(merchantNotActive)
  },
  createPayment: {
    ConsumerNotFound: consumerNotFoundAt("service_id"),
    PaymentAlreadyRecorded: paymentAlreadyRecorded
  },
  settlePayment: { PaymentNotFound: "payment_not_found", PaymentAlreadySettled: "payment_already_settled" },
  approveDataRequest: {
    ...decisionRefusals,
    ConsentRequestInvalid: consentInputInvalid,
    MerchantNotActive: undocumented(merchantNotActive)
  },
  denyDataRequest: decisionRefusals,
  revokeGrant: { GrantNotFound: "grant_not_found" }
} as const

/** Lets a merchant try everything without a platform or people. Exists only for TEST keys (contract 14). */
export class TestHelpersApi extends HttpApiGroup.make("testHelpers")
  .add(
    HttpApiEndpoint.post("createConsumer", "/v1/test-helpers/consumers", {
      payload: TestConsumerRequest,
      success: ConsumerRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Make a test consumer",
        description: "Every field is optional; the body may be left out.",
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
        summary: "Make a test payment",
        description: "Funds the consumer's primary wallet and pays from it. A settled one emits transaction.settled.",
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
        description: "One that was made with settled: false. Emits transaction.settled.",
        bodyOptional: true,
        refusals: testHelperRefusals.settlePayment
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
        description: "All that was requested, or some of it. The body may be left out.",
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
        bodyOptional: true,
        refusals: testHelperRefusals.denyDataRequest
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
        description: "Reading stops with the next call. One that has ended already is answered as it stands.",
        bodyOptional: true,
        refusals: testHelperRefusals.revokeGrant
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
