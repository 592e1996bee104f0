import { HttpApi, OpenApi } from "effect/http-api"
import { AccountApi } from "./account/AccountApi.js"
import { DataRequestsApi } from "./consent/DataRequestsApi.js"
import { GrantsApi } from "./consent/GrantsApi.js"
import { EventsApi } from "./event/EventsApi.js"
import { WebhooksApi } from "./event/WebhooksApi.js"
import { IdentityApi } from "./identity/IdentityApi.js"
import { VerificationsApi } from "./kyc/VerificationsApi.js"
import { MerchantsApi } from "./merchant/MerchantsApi.js"
import { OperatorActionsApi } from "./operator/OperatorActionsApi.js"
import { OperatorApi } from "./operator/OperatorApi.js"
import { OperatorApprovalsApi } from "./operator/OperatorApprovalsApi.js"
import { OperatorConsentApi } from "./operator/OperatorConsentApi.js"
import { OperatorConsumersApi } from "./operator/OperatorConsumersApi.js"
import { OperatorEventsApi } from "./operator/OperatorEventsApi.js"
import { OperatorMoneyApi } from "./operator/OperatorMoneyApi.js"
import { PeopleApi } from "./person/PeopleApi.js"
import { RefundsApi } from "./refund/RefundsApi.js"
import { RequestsApi } from "./request/RequestsApi.js"
import { TestHelpersApi } from "./sandbox/TestHelpersApi.js"

/** Reports all faults of a query together. An unknown parameter is a fault. */
const queryOptions = { errors: "all", onExcessProperty: "error" } as const

/** The typed API without handlers. Its routes and the OpenAPI documents are derived from it. */
export class Api extends HttpApi.make("surety")
  .add(AccountApi, DataRequestsApi, IdentityApi, RefundsApi, VerificationsApi, EventsApi, RequestsApi, TestHelpersApi)
  .add(GrantsApi)
  .add(
    MerchantsApi,
    WebhooksApi,
    OperatorApi,
    OperatorConsentApi,
    OperatorEventsApi,
    OperatorActionsApi,
    OperatorConsumersApi,
    OperatorMoneyApi,
    OperatorApprovalsApi,
    PeopleApi
  )
  .annotate(HttpApi.QueryParseOptions, queryOptions)
  .annotateMerge(
    OpenApi.annotations({
      title: "Surety: Merchant Identity, Verification and Wallet Refund Service",
      version: "1.0.0",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "A server-to-server interface for merchants: consent and identity, managed KYC, wallet refunds, signed webhooks, " +
        "provisioning and a sandbox."
    })
  ) {}
