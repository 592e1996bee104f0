import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { IdentityFieldNames } from "@surety/core/input/IdentityFieldNames"
import { Amount, CurrencyCode, Reference } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { filledText } from "@surety/core/input/Text"
import { TestOutcome } from "@surety/core/payment/Payment"
import { farthestSeconds } from "@surety/core/sandbox/SandboxStore"
import { Schema } from "effect"
import { Timestamp } from "../field/Timestamp.js"

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
      description: "Whether data requests to this consumer have the same limits as in LIVE. Default false."
    })
  )
}).annotate({ identifier: "TestConsumerRequest" })

/** The body of `POST /v1/test-helpers/payments` (contract 14). */
export const TestPaymentRequest = Schema.Struct({
  service_id: ServiceId,
  amount: Amount,
  currency: Schema.optionalKey(CurrencyCode),
  reference: Schema.optionalKey(Reference.annotateKey({ description: "Default: one is generated." })),
  settled: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default true." })),
  method: Schema.optionalKey(
    Schema.Literals(["WALLET", "CARD"]).annotateKey({
      description: "Default WALLET. A CARD payment is not refundable to a wallet."
    })
  ),
  from_balance: Schema.optionalKey(
    Schema.Boolean.annotateKey({
      description:
        "Pay from the wallet's balance, instead of funding it first. Only for a settled wallet payment. Default false."
    })
  ),
  refund_outcome: Schema.optionalKey(
    Schema.Literals(["complete", ...TestOutcome.literals]).annotateKey({
      description:
        "The outcome of the payment's refunds. complete (default). pending: they wait for " +
        "POST /v1/test-helpers/refunds/{refundId}/settle. decline: wallet_declined. unavailable: 503 wallet_unavailable " +
        "once. no_wallet: customer_wallet_missing. no_balance: insufficient_settlement_balance."
    })
  )
}).annotate({ identifier: "TestPaymentRequest" })

/** The body of `POST /v1/test-helpers/refunds/{refundId}/settle` (contract 14). */
export const TestSettlementRequest = Schema.Struct({
  outcome: Schema.Literals(["completed", "failed"])
}).annotate({ identifier: "TestSettlementRequest" })

/** The body of `POST /v1/test-helpers/merchant` (contract 14). */
export const TestMerchantRequest = Schema.Struct({ refundsEnabled: Schema.Boolean }).annotate({
  identifier: "TestMerchantRequest"
})

/** A merchant's own settings for its TEST environment. */
export const TestMerchantRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  refundsEnabled: Schema.Boolean.annotateKey({
    description: "Whether TEST refunds are allowed. Refunds that the platform has switched off stay off."
  })
}).annotate({ identifier: "TestMerchant" })

/** The body of `POST /v1/test-helpers/clock` (contract 14). */
export const TestClockRequest = Schema.Struct({
  advance_seconds: Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: farthestSeconds },
      { expected: `a whole number from 1 to ${farthestSeconds}`, code: "out_of_range" }
    )
  )
}).annotate({ identifier: "TestClockRequest" })

/** A merchant's test clock: the real time plus `advancedSeconds`. */
export const TestClockRecord = Schema.Struct({
  now: Timestamp.annotateKey({ description: "The time on the test clock." }),
  advancedSeconds: Schema.Int.annotateKey({ description: "How far it has been moved in total." })
}).annotate({ identifier: "TestClock" })

/** The body of `POST /v1/test-helpers/data-requests/{dataRequestId}/approve` (contract 14). */
export const TestApprovalRequest = Schema.Struct({
  fields: Schema.optionalKey(
    IdentityFieldNames.pipe(
      Schema.annotateEncoded({ description: "Of the requested fields, those that may be read. Default: all." })
    )
  )
}).annotate({ identifier: "TestApprovalRequest" })
