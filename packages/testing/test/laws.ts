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
import type { Law } from "@surety/testing/Law"
import * as LedgerLaws from "@surety/testing/LedgerLaws"
import * as ManagementLinkStoreLaws from "@surety/testing/ManagementLinkStoreLaws"
import * as MerchantStoreLaws from "@surety/testing/MerchantStoreLaws"
import * as PaymentStoreLaws from "@surety/testing/PaymentStoreLaws"
import * as RateLimitStoreLaws from "@surety/testing/RateLimitStoreLaws"
import * as RefundStoreLaws from "@surety/testing/RefundStoreLaws"
import * as VerificationLogLaws from "@surety/testing/VerificationLogLaws"
import * as WebhookEndpointStoreLaws from "@surety/testing/WebhookEndpointStoreLaws"
import type { Everything } from "./broken/Broken.js"

/** Every law of every port. */
export const laws: ReadonlyArray<Law<Everything>> = [
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
  ...LedgerLaws.laws,
  ...RateLimitStoreLaws.laws,
  ...KeyCanaryStoreLaws.laws
]
