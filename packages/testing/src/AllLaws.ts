import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { Readiness } from "@surety/core/Readiness"
import type { StorePorts } from "@surety/core/StorePorts"
import * as CodeChallengeStoreLaws from "./consent/CodeChallengeStoreLaws.js"
import * as ConsentLogLaws from "./consent/ConsentLogLaws.js"
import * as ConsentPersonLaws from "./consent/ConsentPersonLaws.js"
import * as ConsentStoreLaws from "./consent/ConsentStoreLaws.js"
import * as ConsentUpkeepLaws from "./consent/ConsentUpkeepLaws.js"
import * as ManagementLinkStoreLaws from "./consent/ManagementLinkStoreLaws.js"
import * as ConsumerStoreLaws from "./consumer/ConsumerStoreLaws.js"
import * as DeliveryQueueLaws from "./event/DeliveryQueueLaws.js"
import * as EventLogLaws from "./event/EventLogLaws.js"
import * as OptInTopicLaws from "./event/OptInTopicLaws.js"
import * as PlatformFeedLaws from "./event/PlatformFeedLaws.js"
import * as WebhookEndpointStoreLaws from "./event/WebhookEndpointStoreLaws.js"
import * as HostRequestStoreLaws from "./host/HostRequestStoreLaws.js"
import * as KycStoreLaws from "./kyc/KycStoreLaws.js"
import * as VerificationLogLaws from "./kyc/VerificationLogLaws.js"
import type { Law } from "./Law.js"
import * as AuditRunStoreLaws from "./ledger/AuditRunStoreLaws.js"
import * as LedgerLaws from "./ledger/LedgerLaws.js"
import * as OperatorTransferStoreLaws from "./ledger/OperatorTransferStoreLaws.js"
import * as RateLimitStoreLaws from "./limit/RateLimitStoreLaws.js"
import * as ApiKeyStoreLaws from "./merchant/ApiKeyStoreLaws.js"
import * as MerchantStoreLaws from "./merchant/MerchantStoreLaws.js"
import * as OperatorActionStoreLaws from "./operator/OperatorActionStoreLaws.js"
import * as OperatorSessionStoreLaws from "./operator/OperatorSessionStoreLaws.js"
import * as ProposalStoreLaws from "./operator/ProposalStoreLaws.js"
import * as OverviewLogLaws from "./overview/OverviewLogLaws.js"
import * as PaymentStoreLaws from "./payment/PaymentStoreLaws.js"
import * as PersonLogLaws from "./person/PersonLogLaws.js"
import * as PersonStoreLaws from "./person/PersonStoreLaws.js"
import * as RightsRequestStoreLaws from "./person/RightsRequestStoreLaws.js"
import * as RefundStoreLaws from "./refund/RefundStoreLaws.js"
import * as RequestStoreLaws from "./request/RequestStoreLaws.js"
import * as RetentionStoreLaws from "./retention/RetentionStoreLaws.js"
import * as SandboxStoreLaws from "./sandbox/SandboxStoreLaws.js"
import * as SearchIndexLaws from "./search/SearchIndexLaws.js"
import * as KeyCanaryStoreLaws from "./secret/KeyCanaryStoreLaws.js"

/** Ports that an adapter provides for `laws`. `Readiness` has no laws. */
export type AllPorts = Exclude<StorePorts, Readiness> | DeliverySignal

export const laws: ReadonlyArray<Law<AllPorts>> = [
  ...MerchantStoreLaws.laws,
  ...ApiKeyStoreLaws.laws,
  ...ConsumerStoreLaws.laws,
  ...PaymentStoreLaws.laws,
  ...RefundStoreLaws.laws,
  ...ConsentStoreLaws.laws,
  ...ConsentLogLaws.laws,
  ...ConsentUpkeepLaws.laws,
  ...ConsentPersonLaws.laws,
  ...ManagementLinkStoreLaws.laws,
  ...CodeChallengeStoreLaws.laws,
  ...KycStoreLaws.laws,
  ...VerificationLogLaws.laws,
  ...WebhookEndpointStoreLaws.laws,
  ...DeliveryQueueLaws.laws,
  ...EventLogLaws.laws,
  ...OptInTopicLaws.laws,
  ...PlatformFeedLaws.laws,
  ...LedgerLaws.laws,
  ...RateLimitStoreLaws.laws,
  ...OperatorActionStoreLaws.laws,
  ...OperatorTransferStoreLaws.laws,
  ...KeyCanaryStoreLaws.laws,
  ...PersonStoreLaws.laws,
  ...PersonLogLaws.laws,
  ...RightsRequestStoreLaws.laws,
  ...RetentionStoreLaws.laws,
  ...SandboxStoreLaws.laws,
  ...RequestStoreLaws.laws,
  ...OperatorSessionStoreLaws.laws,
  ...ProposalStoreLaws.laws,
  ...SearchIndexLaws.laws,
  ...OverviewLogLaws.laws,
  ...AuditRunStoreLaws.laws,
  ...HostRequestStoreLaws.laws
]
