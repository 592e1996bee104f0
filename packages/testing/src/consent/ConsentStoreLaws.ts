import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { Layer } from "effect"
import { type Law, suiteOf } from "../Law.js"
import * as ConsentBlockLaws from "./block/ConsentBlockLaws.js"
import * as ConsentAskingLaws from "./ConsentAskingLaws.js"
import * as ConsentAtomicityLaws from "./ConsentAtomicityLaws.js"
import * as ConsentChainLaws from "./ConsentChainLaws.js"
import * as ConsentDecisionLaws from "./ConsentDecisionLaws.js"
import * as ConsentGrantLaws from "./ConsentGrantLaws.js"
import * as ConsentReadLaws from "./ConsentReadLaws.js"
import * as ConsentRequestLaws from "./ConsentRequestLaws.js"
import * as ConsentScopeLaws from "./ConsentScopeLaws.js"
import * as ConsentTermLaws from "./ConsentTermLaws.js"

export type ConsentStorePorts =
  | ConsentStore
  | ConsentLog
  | ManagementLinkStore
  | ConsumerStore
  | MerchantStore
  | WebhookEndpointStore
  | EventLog
  | DeliverySignal

export const laws: ReadonlyArray<Law<ConsentStorePorts>> = [
  ...ConsentRequestLaws.laws,
  ...ConsentAskingLaws.laws,
  ...ConsentBlockLaws.laws,
  ...ConsentDecisionLaws.laws,
  ...ConsentGrantLaws.laws,
  ...ConsentReadLaws.laws,
  ...ConsentChainLaws.laws,
  ...ConsentAtomicityLaws.laws,
  ...ConsentScopeLaws.laws,
  ...ConsentTermLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<ConsentStorePorts, unknown>) => void = suiteOf(
  "ConsentStore",
  laws
)
