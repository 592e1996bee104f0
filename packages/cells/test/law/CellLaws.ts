import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import * as CodeChallengeStoreLaws from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/consent/ConsentPersonLaws"
import * as ConsentStoreLaws from "@surety/testing/consent/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/consent/ConsentUpkeepLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/consent/ManagementLinkStoreLaws"
import * as ConsumerStoreLaws from "@surety/testing/consumer/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/event/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/event/EventLogLaws"
import * as OptInTopicLaws from "@surety/testing/event/OptInTopicLaws"
import * as PlatformFeedLaws from "@surety/testing/event/PlatformFeedLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/event/WebhookEndpointStoreLaws"
import * as HostRequestStoreLaws from "@surety/testing/host/HostRequestStoreLaws"
import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import * as VerificationLogLaws from "@surety/testing/kyc/VerificationLogLaws"
import type { Law } from "@surety/testing/Law"
import * as AuditRunStoreLaws from "@surety/testing/ledger/AuditRunStoreLaws"
import * as LedgerLaws from "@surety/testing/ledger/LedgerLaws"
import * as OperatorTransferStoreLaws from "@surety/testing/ledger/OperatorTransferStoreLaws"
import * as RateLimitStoreLaws from "@surety/testing/limit/RateLimitStoreLaws"
import * as ApiKeyStoreLaws from "@surety/testing/merchant/ApiKeyStoreLaws"
import * as MerchantStoreLaws from "@surety/testing/merchant/MerchantStoreLaws"
import * as OperatorActionStoreLaws from "@surety/testing/operator/OperatorActionStoreLaws"
import * as OperatorSessionStoreLaws from "@surety/testing/operator/OperatorSessionStoreLaws"
import * as ProposalStoreLaws from "@surety/testing/operator/ProposalStoreLaws"
import * as OverviewLogLaws from "@surety/testing/overview/OverviewLogLaws"
import * as PaymentStoreLaws from "@surety/testing/payment/PaymentStoreLaws"
import * as PersonLogLaws from "@surety/testing/person/PersonLogLaws"
import * as PersonStoreLaws from "@surety/testing/person/PersonStoreLaws"
import * as RightsRequestStoreLaws from "@surety/testing/person/RightsRequestStoreLaws"
import * as RefundStoreLaws from "@surety/testing/refund/RefundStoreLaws"
import * as RequestStoreLaws from "@surety/testing/request/RequestStoreLaws"
import * as RetentionStoreLaws from "@surety/testing/retention/RetentionStoreLaws"
import * as SandboxStoreLaws from "@surety/testing/sandbox/SandboxStoreLaws"
import * as SearchIndexLaws from "@surety/testing/search/SearchIndexLaws"
import * as KeyCanaryStoreLaws from "@surety/testing/secret/KeyCanaryStoreLaws"

export const laws: ReadonlyArray<Law<StorePorts | DeliverySignal>> = [
  ...CodeChallengeStoreLaws.laws,
  ...ConsentLogLaws.laws,
  ...ConsentPersonLaws.laws,
  ...ConsentStoreLaws.laws,
  ...ConsentUpkeepLaws.laws,
  ...ManagementLinkStoreLaws.laws,
  ...ConsumerStoreLaws.laws,
  ...DeliveryQueueLaws.laws,
  ...EventLogLaws.laws,
  ...OptInTopicLaws.laws,
  ...PlatformFeedLaws.laws,
  ...WebhookEndpointStoreLaws.laws,
  ...KycStoreLaws.laws,
  ...VerificationLogLaws.laws,
  ...AuditRunStoreLaws.laws,
  ...RateLimitStoreLaws.laws,
  ...ApiKeyStoreLaws.laws,
  ...MerchantStoreLaws.laws,
  ...OperatorSessionStoreLaws.laws,
  ...PaymentStoreLaws.laws,
  ...RightsRequestStoreLaws.laws,
  ...RefundStoreLaws.laws,
  ...PersonStoreLaws.laws,
  ...PersonLogLaws.laws,
  ...RequestStoreLaws.laws,
  ...RetentionStoreLaws.laws,
  ...LedgerLaws.laws,
  ...OverviewLogLaws.laws,
  ...SandboxStoreLaws.laws,
  ...SearchIndexLaws.laws,
  ...KeyCanaryStoreLaws.laws,
  ...OperatorActionStoreLaws.laws,
  ...OperatorTransferStoreLaws.laws,
  ...ProposalStoreLaws.laws,
  ...HostRequestStoreLaws.laws
]

/**
 * Names of the laws for a single cell only. They state the order in which due records are claimed, which holds only
 * within each cell.
 */
export const ofOneCell: ReadonlyArray<string> = [
  "puts what gives an endpoint more than its share behind what others have waiting, however long it has been due",
  "claims open verifications that are due and not leased, the longest due first, at most the limit"
]

export const isOfOneCell = ({ name }: { readonly name: string }): boolean => ofOneCell.includes(name)

export const ofCells = laws.filter((law) => !isOfOneCell(law))
