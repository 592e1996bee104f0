import { Environment } from "@surety/core/Environment"
import { MerchantId, UserId } from "@surety/core/Ids"
import { EmailAddress } from "@surety/core/input/Addresses"
import { Country } from "@surety/core/input/Country"
import { Amount, CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { Purpose } from "@surety/core/input/ShownText"
import { filledText, identifierText, text } from "@surety/core/input/Text"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import { ReturnUrls } from "@surety/core/merchant/ReturnUrl"
import { PaymentMethod } from "@surety/core/payment/Payment"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerNotFoundAt } from "../consent/ConsentRefusals.js"
import { ConsumerRecord } from "../consumer/ConsumerRecord.js"
import { documented } from "../docs/Documented.js"
import { environmentPageOf, pageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { OperatorVerificationRecord } from "../kyc/VerificationRecord.js"
import { OperatorMerchantRecord } from "../merchant/MerchantRecord.js"
import { merchantNotActive, statusChangeNotAllowed } from "../merchant/MerchantRefusals.js"
import { PaymentRecord, paymentAlreadyRecorded } from "../payment/PaymentRecord.js"
import { problems } from "../problem/ProblemDetails.js"
import { undocumented } from "../problem/Refusal.js"
import { BalanceRecord, TrialBalanceRecord } from "./LedgerRecord.js"

export const StatusRequest = Schema.Struct({
  status: MerchantStatus,
  reason: Schema.optionalKey(text(500).annotateKey({ description: "Kept with the change." }))
}).annotate({ identifier: "MerchantStatusRequest" })

export const MerchantSettingsRequest = Schema.Struct({
  refundsEnabled: Schema.optionalKey(Schema.Boolean),
  settlementOverdraft: Schema.optionalKey(
    Schema.Boolean.annotateKey({
      description: "Whether refunds may take the settlement balance below zero."
    })
  ),
  purpose: Schema.optionalKey(
    Schema.NullOr(Purpose).annotateKey({
      description: "The purpose that people are shown if the merchant's request has none. Null: none."
    })
  ),
  returnUrls: Schema.optionalKey(
    ReturnUrls.annotateKey({
      description: "Where the merchant's requests may lead people back to: origins with a path prefix. [] for nowhere."
    })
  )
}).annotate({ identifier: "MerchantSettingsRequest" })

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

export const ConsumerRequest = Schema.Struct({
  environment: Schema.optionalKey(DefaultLive),
  userId: Schema.optionalKey(
    identifierText(128)
      .annotate({ description: "The platform's own id of the user. Default: one is generated." })
      .pipe(Schema.decodeTo(Schema.toType(UserId)))
  ),
  serviceId: Schema.optionalKey(
    ServiceId.pipe(
      Schema.annotateEncoded({
        description: "An identifier that was issued elsewhere. Default: a new one is issued."
      })
    )
  ),
  externalId: Schema.optionalKey(
    identifierText(128).annotateKey({ description: "The platform's own key for the person." })
  ),
  displayName: Schema.optionalKey(filledText(120)),
  country: Schema.optionalKey(Country),
  email: Schema.optionalKey(EmailAddress),
  phoneVerified: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default false." }))
}).annotate({ identifier: "ConsumerRequest" })

export const LinkRequest = Schema.Struct({
  serviceId: ServiceId,
  environment: Schema.optionalKey(DefaultLive)
}).annotate({ identifier: "LinkRequest" })

const LinkRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord
}).annotate({ identifier: "Link" })

export const LinkedConsumerRecord = Schema.Struct({
  userId: UserId,
  serviceId: ServiceIdRecord,
  linkedAt: Timestamp
}).annotate({ identifier: "LinkedConsumer" })

export const PaymentRequest = Schema.Struct({
  merchantId: identifierText(64),
  environment: Schema.optionalKey(DefaultLive),
  transactionId: Schema.optionalKey(
    TransactionId.pipe(Schema.annotateEncoded({ description: "The platform's own id. Default: one is generated." }))
  ),
  serviceId: Schema.optionalKey(
    ServiceId.pipe(Schema.annotateEncoded({ description: "Who paid. Without it there is no wallet to refund to." }))
  ),
  amount: Amount,
  currency: Schema.optionalKey(CurrencyCode),
  reference: Schema.optionalKey(Reference),
  method: Schema.optionalKey(PaymentMethod.annotateKey({ description: "Default WALLET." })),
  settled: Schema.optionalKey(Schema.Boolean.annotateKey({ description: "Default true." }))
}).annotate({ identifier: "PaymentRequest" })

const merchantPath = { merchantId: Schema.String }
const environmentQuery = { environment: Schema.optionalKey(DefaultLive), ...pagingQuery }

const consumerFilter = {
  externalId: Schema.optionalKey(identifierText(128)),
  userId: Schema.optionalKey(identifierText(128)),
  email: Schema.optionalKey(EmailAddress.annotateKey({ description: "In any letter case." }))
}

const knownMerchant = { MerchantNotFound: "merchant_not_found" } as const

export const operatorRefusals = {
  listMerchants: {},
  changeSettings: knownMerchant,
  changeStatus: { ...knownMerchant, StatusChangeNotAllowed: statusChangeNotAllowed },
  link: { ...knownMerchant, ConsumerNotFound: consumerNotFoundAt("serviceId"), MerchantNotActive: merchantNotActive },
  listLinks: knownMerchant,
  unlink: { ...knownMerchant, ConsumerNotLinked: "link_not_found" },
  createConsumer: {
    ServiceIdTaken: "service_id_taken",
    UserIdTaken: "user_id_taken",
    // Neither error can occur, because this route links the consumer to no merchant.
    MerchantNotFound: undocumented("merchant_not_found"),
    MerchantNotActive: undocumented(merchantNotActive)
  },
  listConsumers: {},
  createPayment: {
    ...knownMerchant,
    ConsumerNotFound: consumerNotFoundAt("serviceId"),
    PaymentAlreadyRecorded: paymentAlreadyRecorded
  },
  listPayments: {},
  listVerifications: {},
  balances: {},
  trialBalance: {}
} as const

/** Operators' routes for merchants, their links, consumers, payments, verifications and balances (contract 15). */
export class OperatorApi extends HttpApiGroup.make("operator")
  .add(
    HttpApiEndpoint.get("listMerchants", "/operator/merchants", {
      query: pagingQuery,
      success: pageOf(OperatorMerchantRecord),
      error: problems
    }).annotateMerge(
      documented({ summary: "List merchants", description: "Newest first.", refusals: operatorRefusals.listMerchants })
    ),
    HttpApiEndpoint.patch("changeSettings", "/operator/merchants/:merchantId", {
      params: merchantPath,
      payload: MerchantSettingsRequest,
      success: OperatorMerchantRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Change a merchant's settings",
        description: "Omitted fields stay unchanged.",
        refusals: operatorRefusals.changeSettings
      })
    ),
    HttpApiEndpoint.post("changeStatus", "/operator/merchants/:merchantId/status", {
      params: merchantPath,
      payload: StatusRequest,
      success: OperatorMerchantRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Change a merchant's status",
        description:
          "PENDING_REVIEW to ACTIVE or REJECTED; ACTIVE to SUSPENDED and back; any to CLOSED, which is final.",
        refusals: operatorRefusals.changeStatus
      })
    ),
    HttpApiEndpoint.post("link", "/operator/merchants/:merchantId/links", {
      params: merchantPath,
      payload: LinkRequest,
      success: LinkRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Link a consumer to a merchant",
        description: "The merchant may name the consumer from then on. Linking again changes nothing.",
        refusals: operatorRefusals.link
      })
    ),
    HttpApiEndpoint.get("listLinks", "/operator/merchants/:merchantId/links", {
      params: merchantPath,
      query: environmentQuery,
      success: environmentPageOf(LinkedConsumerRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List the consumers that are linked to a merchant",
        description: "Most recently linked first. Omits consumers of whom the merchant only has a grant.",
        refusals: operatorRefusals.listLinks
      })
    ),
    HttpApiEndpoint.delete("unlink", "/operator/merchants/:merchantId/links/:serviceId", {
      params: { ...merchantPath, serviceId: Schema.String },
      query: { environment: environmentQuery.environment },
      success: HttpApiSchema.NoContent,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Unlink a consumer from a merchant",
        description: "The person's grants stay in force, and let the merchant name the person while they last.",
        refusals: operatorRefusals.unlink
      })
    ),
    HttpApiEndpoint.post("createConsumer", "/operator/consumers", {
      payload: ConsumerRequest,
      success: ConsumerRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Register a consumer",
        description: "Issues the identifier by which merchants name the consumer.",
        refusals: operatorRefusals.createConsumer
      })
    ),
    HttpApiEndpoint.get("listConsumers", "/operator/consumers", {
      query: { ...consumerFilter, ...environmentQuery },
      success: environmentPageOf(ConsumerRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List consumers",
        description: "Newest first; filtered by external id, user id or e-mail address if given.",
        refusals: operatorRefusals.listConsumers
      })
    ),
    HttpApiEndpoint.post("createPayment", "/operator/payments", {
      payload: PaymentRequest,
      success: PaymentRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Record a payment",
        description: "A settled one moves its money in the ledger and emits transaction.settled.",
        refusals: operatorRefusals.createPayment
      })
    ),
    HttpApiEndpoint.get("listPayments", "/operator/payments", {
      query: environmentQuery,
      success: environmentPageOf(PaymentRecord),
      error: problems
    }).annotateMerge(
      documented({ summary: "List payments", description: "Newest first.", refusals: operatorRefusals.listPayments })
    ),
    HttpApiEndpoint.get("listVerifications", "/operator/verifications", {
      query: { merchantId: Schema.optionalKey(MerchantId), ...environmentQuery },
      success: environmentPageOf(OperatorVerificationRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List verifications",
        description: "Newest first; only one merchant's if merchantId is given.",
        refusals: operatorRefusals.listVerifications
      })
    ),
    HttpApiEndpoint.get("balances", "/operator/ledger/balances", {
      query: environmentQuery,
      success: environmentPageOf(BalanceRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List the ledger's accounts and their balances",
        description: "Balances are strings of digits, in minor units.",
        refusals: operatorRefusals.balances
      })
    ),
    HttpApiEndpoint.get("trialBalance", "/operator/ledger/trial-balance", {
      success: TrialBalanceRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read the trial balance",
        description: "Sums every posting again, per environment and currency.",
        refusals: operatorRefusals.trialBalance
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(OpenApi.annotations({ title: "Operator", description: "For the platform that runs the service." })) {}
