import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { MerchantAccess, SandboxOnly } from "../access/MerchantAccess.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { Amount, CurrencyCode } from "../field/Amount.js"
import { Country } from "../field/Country.js"
import { EmailAddress } from "../field/EmailAddress.js"
import { NoFields } from "../field/NoFields.js"
import { ServiceId } from "../field/ServiceId.js"
import { filledText } from "../field/Text.js"
import { Reference } from "../field/TransactionId.js"
import { PaymentRecord } from "../payment/PaymentRecord.js"
import { problems } from "../problem/ProblemDetails.js"

/** The body of `POST /v1/test-helpers/consumers` (contract 14). */
export const TestConsumerRequest = Schema.Struct({
  display_name: Schema.optionalKey(filledText(120)),
  country: Schema.optionalKey(Country),
  email: Schema.optionalKey(EmailAddress),
  phone_verified: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default false." })),
  linked: Schema.optionalKey(
    Schema.Boolean.annotateKey({ description: "Whether you may name the consumer. Default true." })
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

/** What a merchant needs to try everything alone. For LIVE keys none of it exists (contract 14). */
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
        codes: [],
        bodyOptional: true
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
        codes: [
          "merchant_code_not_accepted",
          "consumer_not_found",
          "amount_precision",
          "currency_unknown",
          "payment_already_recorded"
        ]
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
        codes: ["payment_not_found", "payment_already_settled"],
        bodyOptional: true
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
