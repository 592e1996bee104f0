import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as ApiKeyStoreLaws from "@surety/testing/ApiKeyStoreLaws"
import * as CodeChallengeStoreLaws from "@surety/testing/CodeChallengeStoreLaws"
import * as ConsentLogLaws from "@surety/testing/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/ConsentPersonLaws"
import * as ConsentStoreLaws from "@surety/testing/ConsentStoreLaws"
import * as ConsentUpkeepLaws from "@surety/testing/ConsentUpkeepLaws"
import * as ConsumerStoreLaws from "@surety/testing/ConsumerStoreLaws"
import * as DeliveryQueueLaws from "@surety/testing/DeliveryQueueLaws"
import * as EventLogLaws from "@surety/testing/EventLogLaws"
import * as KeyCanaryStoreLaws from "@surety/testing/KeyCanaryStoreLaws"
import * as KycStoreLaws from "@surety/testing/KycStoreLaws"
import * as LedgerLaws from "@surety/testing/LedgerLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/ManagementLinkStoreLaws"
import * as MerchantStoreLaws from "@surety/testing/MerchantStoreLaws"
import * as PaymentStoreLaws from "@surety/testing/PaymentStoreLaws"
import * as RateLimitStoreLaws from "@surety/testing/RateLimitStoreLaws"
import * as RefundStoreLaws from "@surety/testing/RefundStoreLaws"
import * as VerificationLogLaws from "@surety/testing/VerificationLogLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/WebhookEndpointStoreLaws"
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
KeyCanaryStoreLaws.suite("memory", stores)
