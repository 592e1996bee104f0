import type { ConsentServices } from "@surety/core/consent/ConsentServices"
import type { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import type { ConsumerChanges } from "@surety/core/consumer/ConsumerChanges"
import type { Consumers } from "@surety/core/consumer/Consumers"
import type { EndpointEvents } from "@surety/core/event/EndpointEvents"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import type { Verifications } from "@surety/core/kyc/verification/Verifications"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { OperatorTransfers } from "@surety/core/ledger/OperatorTransfers"
import type { RateLimiter } from "@surety/core/limit/RateLimiter"
import type { ApiKeys } from "@surety/core/merchant/ApiKeys"
import type { Merchants } from "@surety/core/merchant/Merchants"
import type { Approvals } from "@surety/core/operator/approval/Approvals"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import type { Payments } from "@surety/core/payment/Payments"
import type { PersonRights } from "@surety/core/person/PersonRights"
import type { RightsRequests } from "@surety/core/person/RightsRequests"
import type { Readiness } from "@surety/core/Readiness"
import type { HostRefunds } from "@surety/core/refund/HostRefunds"
import type { Refunds } from "@surety/core/refund/Refunds"
import type { Requests } from "@surety/core/request/Requests"
import type { Sandbox } from "@surety/core/sandbox/Sandbox"
import { Effect, Layer } from "effect"
import type { Digest } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.js"
import * as AccessLayers from "./access/AccessLayers.js"
import * as Limiting from "./access/Limiting.js"
import * as MerchantGate from "./access/MerchantGate.js"
import * as ReadShare from "./access/ReadShare.js"
import * as AccountHandlers from "./account/AccountHandlers.js"
import * as DataRequestsHandlers from "./consent/DataRequestsHandlers.js"
import * as GrantsHandlers from "./consent/GrantsHandlers.js"
import * as KeysRoute from "./consent/KeysRoute.js"
import * as DocumentRoutes from "./docs/DocumentRoutes.js"
import * as Edge from "./Edge.js"
import * as EventsHandlers from "./event/EventsHandlers.js"
import * as WebhooksHandlers from "./event/WebhooksHandlers.js"
import * as BodyRoom from "./form/BodyRoom.js"
import * as HealthRoutes from "./HealthRoutes.js"
import { HttpSettings } from "./HttpSettings.js"
import * as IdentityHandlers from "./identity/IdentityHandlers.js"
import * as KycCallbackRoute from "./kyc/KycCallbackRoute.js"
import * as VerificationsHandlers from "./kyc/VerificationsHandlers.js"
import * as MerchantsHandlers from "./merchant/MerchantsHandlers.js"
import * as OperatorActionsHandlers from "./operator/OperatorActionsHandlers.js"
import * as OperatorApprovalsHandlers from "./operator/OperatorApprovalsHandlers.js"
import * as OperatorConsentHandlers from "./operator/OperatorConsentHandlers.js"
import * as OperatorConsumersHandlers from "./operator/OperatorConsumersHandlers.js"
import * as OperatorEventsHandlers from "./operator/OperatorEventsHandlers.js"
import * as OperatorHandlers from "./operator/OperatorHandlers.js"
import * as OperatorMoneyHandlers from "./operator/OperatorMoneyHandlers.js"
import * as PeopleHandlers from "./person/PeopleHandlers.js"
import * as RefundsHandlers from "./refund/RefundsHandlers.js"
import * as RequestsHandlers from "./request/RequestsHandlers.js"
import * as TestHelpersHandlers from "./sandbox/TestHelpersHandlers.js"

/** Services that `layer` requires besides the router. */
export type Needs =
  | HttpSettings
  | Merchants
  | OperatorActions
  | Approvals
  | OperatorTransfers
  | ApiKeys
  | WebhookEndpoints
  | Consumers
  | ConsumerChanges
  | Payments
  | Refunds
  | EndpointEvents
  | ConsentServices
  | ConsentNotifier
  | Verifications
  | EventLog
  | Ledger
  | PersonRights
  | RightsRequests
  | HostRefunds
  | Requests
  | Sandbox
  | RateLimiter
  | Readiness
  | Digest.Digest

export { routerConfig } from "./RouteTable.js"

const handlers = Layer.mergeAll(
  AccountHandlers.layer,
  DataRequestsHandlers.layer,
  GrantsHandlers.layer,
  IdentityHandlers.layer,
  RefundsHandlers.layer,
  Layer.provide(VerificationsHandlers.layer, BodyRoom.layer),
  EventsHandlers.layer,
  TestHelpersHandlers.layer,
  RequestsHandlers.layer,
  MerchantsHandlers.layer,
  WebhooksHandlers.layer,
  OperatorHandlers.layer,
  OperatorConsentHandlers.layer,
  OperatorEventsHandlers.layer,
  OperatorActionsHandlers.layer,
  OperatorConsumersHandlers.layer,
  OperatorMoneyHandlers.layer,
  OperatorApprovalsHandlers.layer,
  PeopleHandlers.layer
).pipe(
  Layer.provide([
    Layer.provide(AccessLayers.merchantAccess, ReadShare.layer),
    AccessLayers.operatorAccess,
    AccessLayers.provisioningAccess
  ])
)

const belowBasePath: Layer.Layer<HttpRouter.HttpRouter, never, HttpRouter.HttpRouter | HttpSettings> = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { basePath } = yield* HttpSettings
    return basePath === "" ? router : router.prefixed(basePath)
  })
)

const api = HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers), Layer.provide(HttpServer.layerServices))

/**
 * Every route of this package, with its middleware. Serve it with `routerConfig`, and disable the router's own request
 * log: `HttpRouter.serve(Routes.layer, { routerConfig: Routes.routerConfig, disableLogger: true })`.
 */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Needs> = Layer.mergeAll(
  Layer.mergeAll(api, DocumentRoutes.layer, KeysRoute.layer, KycCallbackRoute.layer).pipe(Layer.provide(belowBasePath)),
  HealthRoutes.layer
).pipe(Layer.provide(Edge.layer), Layer.provide(MerchantGate.layer), Layer.provide(Limiting.layer))
