import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { Readiness } from "@surety/core/Readiness"
import type { StorePorts } from "@surety/core/StorePorts"
import * as ApiKeyStoreLaws from "./ApiKeyStoreLaws.js"
import * as CodeChallengeStoreLaws from "./CodeChallengeStoreLaws.js"
import * as ConsentLogLaws from "./ConsentLogLaws.js"
import * as ConsentPersonLaws from "./ConsentPersonLaws.js"
import * as ConsentStoreLaws from "./ConsentStoreLaws.js"
import * as ConsentUpkeepLaws from "./ConsentUpkeepLaws.js"
import * as ConsumerStoreLaws from "./ConsumerStoreLaws.js"
import * as DeliveryQueueLaws from "./DeliveryQueueLaws.js"
import * as EventLogLaws from "./EventLogLaws.js"
import * as KeyCanaryStoreLaws from "./KeyCanaryStoreLaws.js"
import * as KycStoreLaws from "./KycStoreLaws.js"
import type { Law } from "./Law.js"
import * as LedgerLaws from "./LedgerLaws.js"
import * as ManagementLinkStoreLaws from "./ManagementLinkStoreLaws.js"
import * as MerchantStoreLaws from "./MerchantStoreLaws.js"
import * as PaymentStoreLaws from "./PaymentStoreLaws.js"
import * as RateLimitStoreLaws from "./RateLimitStoreLaws.js"
import * as RefundStoreLaws from "./RefundStoreLaws.js"
import * as VerificationLogLaws from "./VerificationLogLaws.js"
import * as WebhookEndpointStoreLaws from "./WebhookEndpointStoreLaws.js"

/** The ports that the laws are about, and the signal that some of them listen to. */
export type Ports = Exclude<StorePorts, Readiness> | DeliverySignal

/** Every law of every store. */
export const laws: ReadonlyArray<Law<Ports>> = [
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
