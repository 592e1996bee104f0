import type { Context } from "effect"
import { CodeChallengeStore } from "./consent/admission/CodeChallengeStore.js"
import { ConsentLog } from "./consent/ConsentLog.js"
import { ConsentStore } from "./consent/ConsentStore.js"
import { ConsentUpkeep } from "./consent/ConsentUpkeep.js"
import { ManagementLinkStore } from "./consent/link/ManagementLinkStore.js"
import { ConsumerStore } from "./consumer/ConsumerStore.js"
import { DeliveryQueue } from "./event/DeliveryQueue.js"
import { EventLog } from "./event/EventLog.js"
import { PlatformFeed } from "./event/PlatformFeed.js"
import { WebhookEndpointStore } from "./event/WebhookEndpointStore.js"
import { HostRequestStore } from "./host/HostRequestStore.js"
import { KycStore } from "./kyc/KycStore.js"
import { VerificationLog } from "./kyc/verification/VerificationLog.js"
import { AuditRunStore } from "./ledger/AuditRunStore.js"
import { Ledger } from "./ledger/Ledger.js"
import { OperatorTransferStore } from "./ledger/OperatorTransferStore.js"
import { RateLimitStore } from "./limit/RateLimitStore.js"
import { ApiKeyStore } from "./merchant/ApiKeyStore.js"
import { MerchantStore } from "./merchant/MerchantStore.js"
import { ProposalStore } from "./operator/approval/ProposalStore.js"
import { OperatorActionStore } from "./operator/OperatorActionStore.js"
import { OperatorSessionStore } from "./operator/session/OperatorSessionStore.js"
import { OverviewLog } from "./overview/OverviewLog.js"
import { PaymentStore } from "./payment/PaymentStore.js"
import { PersonLog } from "./person/PersonLog.js"
import { PersonStore } from "./person/PersonStore.js"
import { RightsRequestStore } from "./person/RightsRequestStore.js"
import { Readiness } from "./Readiness.js"
import { RefundStore } from "./refund/RefundStore.js"
import { RequestStore } from "./request/RequestStore.js"
import { RetentionStore } from "./retention/RetentionStore.js"
import { SandboxStore } from "./sandbox/SandboxStore.js"
import { SearchIndex } from "./search/SearchIndex.js"
import { KeyCanaryStore } from "./secret/KeyCanaryStore.js"

/** Every storage port. */
export const storePorts = [
  MerchantStore,
  ApiKeyStore,
  ConsumerStore,
  PaymentStore,
  RefundStore,
  Ledger,
  ConsentStore,
  ConsentLog,
  ConsentUpkeep,
  ManagementLinkStore,
  CodeChallengeStore,
  KycStore,
  VerificationLog,
  WebhookEndpointStore,
  DeliveryQueue,
  EventLog,
  PlatformFeed,
  RateLimitStore,
  OperatorActionStore,
  OperatorTransferStore,
  KeyCanaryStore,
  PersonStore,
  PersonLog,
  RightsRequestStore,
  RetentionStore,
  SandboxStore,
  RequestStore,
  HostRequestStore,
  OperatorSessionStore,
  ProposalStore,
  SearchIndex,
  OverviewLog,
  AuditRunStore,
  Readiness
] as const

/**
 * Ports that a database adapter provides: `Layer<StorePorts, …>`. An adapter that lacks one of them does not compile.
 */
export type StorePorts = Context.Service.Identifier<(typeof storePorts)[number]>
