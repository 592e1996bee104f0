import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as CodeChallengeStoreLaws from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/consent/ConsentPersonLaws"
import * as ConsentStoreLaws from "@surety/testing/consent/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/consent/ConsentUpkeepLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/consent/ManagementLinkStoreLaws"
import * as ConsumerStoreLaws from "@surety/testing/consumer/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/event/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/event/EventLogLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/event/WebhookEndpointStoreLaws"
import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import * as VerificationLogLaws from "@surety/testing/kyc/VerificationLogLaws"
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
import * as RetentionStoreLaws from "@surety/testing/retention/RetentionStoreLaws"
import * as SearchIndexLaws from "@surety/testing/search/SearchIndexLaws"
import * as KeyCanaryStoreLaws from "@surety/testing/secret/KeyCanaryStoreLaws"
import { Layer } from "effect"

const stores = Layer.provideMerge(MemoryStores.layer, DeliverySignal.layer)

MerchantStoreLaws.suite("memory", stores)
ApiKeyStoreLaws.suite("memory", stores)
ConsumerStoreLaws.suite("memory", stores)
PaymentStoreLaws.suite("memory", stores)
RefundStoreLaws.suite("memory", stores)
ConsentStoreLaws.suite("memory", stores)
ConsentLogLaws.suite("memory", stores)
ConsentUpkeepLaws.suite("memory", stores)
ConsentPersonLaws.suite("memory", stores)
ManagementLinkStoreLaws.suite("memory", stores)
CodeChallengeStoreLaws.suite("memory", stores)
KycStoreLaws.suite("memory", stores)
VerificationLogLaws.suite("memory", stores)
WebhookEndpointStoreLaws.suite("memory", stores)
DeliveryQueueLaws.suite("memory", stores)
EventLogLaws.suite("memory", stores)
LedgerLaws.suite("memory", stores)
RateLimitStoreLaws.suite("memory", stores)
OperatorActionStoreLaws.suite("memory", stores)
OperatorTransferStoreLaws.suite("memory", stores)
KeyCanaryStoreLaws.suite("memory", stores)
PersonStoreLaws.suite("memory", stores)
PersonLogLaws.suite("memory", stores)
RightsRequestStoreLaws.suite("memory", stores)
RetentionStoreLaws.suite("memory", stores)
OperatorSessionStoreLaws.suite("memory", stores)
ProposalStoreLaws.suite("memory", stores)
SearchIndexLaws.suite("memory", stores)
OverviewLogLaws.suite("memory", stores)
AuditRunStoreLaws.suite("memory", stores)
