import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { Ledger } from "@surety/core/ledger/Ledger"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { ApiKeyStore } from "@surety/core/merchant/ApiKeyStore"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Readiness } from "@surety/core/Readiness"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { RequestStore } from "@surety/core/request/RequestStore"
import { Partitions } from "@surety/core/retention/Partitions"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import type { StoreError } from "@surety/core/StoreError"
import type { StorePorts } from "@surety/core/StorePorts"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import { SearchIndex } from "@surety/core/search/SearchIndex"
import { KeyCanaryStore } from "@surety/core/secret/KeyCanaryStore"
import { Context, type Duration, Effect, Layer } from "effect"
import type { Cells } from "./Cells.js"
import type { CellDirectory } from "./directory/CellDirectory.js"
import * as Consents from "./route/consents.js"
import { consumerStore } from "./route/consumers.js"
import * as Events from "./route/events.js"
import { hostRequestStore } from "./route/hostRequests.js"
import * as Merchants from "./route/merchants.js"
import * as Money from "./route/money.js"
import { operatorActionStore } from "./route/operators.js"
import { makeCopiedPeople } from "./route/People.js"
import * as Persons from "./route/persons.js"
import * as Platform from "./route/platform.js"
import { proposalStore } from "./route/proposals.js"
import { makeRouter } from "./route/Router.js"
import { operatorTransferStore } from "./route/transfers.js"
import * as Verifications from "./route/verifications.js"

/** Maintenance that keeps the cells consistent. Run `resume` periodically, in any process. */
export class CellUpkeep extends Context.Service<
  CellUpkeep,
  {
    /**
     * Completes up to `limit` changes to people that have been open for at least `openFor`. Returns how many of these
     * it completed. Also completes other open changes to the same people. A change stays open if a crash or an outage
     * kept it from a cell that has the person. A change that fails again stays open. Use an `openFor` of at least a
     * minute: changes in progress take far less.
     */
    readonly resume: (openFor: Duration.Duration, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/cells/CellStores") {}

/** Every storage port over the cells, and `CellUpkeep`. Routes operations to the cells that may hold their records. */
export const layer: Layer.Layer<StorePorts | CellUpkeep, never, Cells | CellDirectory> = Layer.effectContext(
  Effect.gen(function* () {
    const router = yield* makeRouter
    const people = makeCopiedPeople(router)
    return Context.empty()
      .pipe(
        Context.add(MerchantStore, Merchants.merchantStore(router)),
        Context.add(ApiKeyStore, yield* Merchants.apiKeyStore(router)),
        Context.add(RequestStore, Merchants.requestStore(router)),
        Context.add(SandboxStore, Merchants.sandboxStore(router)),
        Context.add(ConsumerStore, consumerStore(router, people)),
        Context.add(PaymentStore, Money.paymentStore(router, people)),
        Context.add(RefundStore, Money.refundStore(router)),
        Context.add(Ledger, Money.ledger(router)),
        Context.add(AuditRunStore, Money.auditRunStore(router)),
        Context.add(ConsentStore, Consents.consentStore(router, people)),
        Context.add(ConsentLog, Consents.consentLog(router)),
        Context.add(ConsentUpkeep, Consents.consentUpkeep(router)),
        Context.add(ManagementLinkStore, Consents.managementLinkStore(router, people)),
        Context.add(CodeChallengeStore, Consents.codeChallengeStore(router))
      )
      .pipe(
        Context.add(KycStore, Verifications.kycStore(router, people)),
        Context.add(VerificationLog, Verifications.verificationLog(router)),
        Context.add(WebhookEndpointStore, Events.webhookEndpointStore(router)),
        Context.add(DeliveryQueue, Events.deliveryQueue(router)),
        Context.add(EventLog, Events.eventLog(router)),
        Context.add(PlatformFeed, Events.platformFeed(router)),
        Context.add(RateLimitStore, Platform.rateLimitStore(router)),
        Context.add(OperatorSessionStore, Platform.operatorSessionStore(router)),
        Context.add(PersonStore, Persons.personStore(router, people)),
        Context.add(PersonLog, Persons.personLog(router)),
        Context.add(RightsRequestStore, Platform.rightsRequestStore(router)),
        Context.add(RetentionStore, Platform.retentionStore(router)),
        Context.add(KeyCanaryStore, Platform.keyCanaryStore(router)),
        Context.add(Readiness, Platform.readiness(router)),
        Context.add(OverviewLog, Platform.overviewLog(router)),
        Context.add(SearchIndex, Platform.searchIndex(router)),
        Context.add(OperatorActionStore, operatorActionStore(router)),
        Context.add(OperatorTransferStore, operatorTransferStore(router))
      )
      .pipe(
        Context.add(ProposalStore, proposalStore(router)),
        Context.add(HostRequestStore, hostRequestStore(router)),
        Context.add(Partitions, Platform.partitions(router)),
        Context.add(CellUpkeep, { resume: people.resume })
      )
  })
)
