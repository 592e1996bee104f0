import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { Layer } from "effect"
import { type Law, suiteOf } from "../Law.js"
import * as PendingRefundLaws from "./PendingRefundLaws.js"
import * as PlayedRefundLaws from "./PlayedRefundLaws.js"
import * as RefundAtomicityLaws from "./RefundAtomicityLaws.js"
import * as RefundConcurrencyLaws from "./RefundConcurrencyLaws.js"
import * as RefundExecutionLaws from "./RefundExecutionLaws.js"
import * as RefundListLaws from "./RefundListLaws.js"
import * as RefundScopeLaws from "./RefundScopeLaws.js"

export type RefundStorePorts =
  | RefundStore
  | PaymentStore
  | ConsumerStore
  | MerchantStore
  | WebhookEndpointStore
  | EventLog
  | Ledger
  | OperatorTransferStore
  | DeliverySignal

export const laws: ReadonlyArray<Law<RefundStorePorts>> = [
  ...RefundExecutionLaws.laws,
  ...RefundConcurrencyLaws.laws,
  ...RefundAtomicityLaws.laws,
  ...RefundScopeLaws.laws,
  ...PendingRefundLaws.laws,
  ...RefundListLaws.laws,
  ...PlayedRefundLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<RefundStorePorts, unknown>) => void = suiteOf(
  "RefundStore",
  laws
)
