import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { KycStore } from "@surety/core/kyc/KycStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { Layer } from "effect"
import { type Law, suiteOf } from "../Law.js"
import * as KycBeginLaws from "./KycBeginLaws.js"
import * as KycEvidenceLaws from "./KycEvidenceLaws.js"
import * as KycGrantLaws from "./KycGrantLaws.js"
import * as KycHoldLaws from "./KycHoldLaws.js"
import * as KycProgressLaws from "./KycProgressLaws.js"
import * as KycReceiptLaws from "./KycReceiptLaws.js"
import * as KycScopeLaws from "./KycScopeLaws.js"

/** The port, and those through which its laws make what they need and see what became of it. */
export type Ports = KycStore | ConsentStore | ConsentLog | ConsumerStore | MerchantStore

export const laws: ReadonlyArray<Law<Ports>> = [
  ...KycBeginLaws.laws,
  ...KycHoldLaws.laws,
  ...KycReceiptLaws.laws,
  ...KycProgressLaws.laws,
  ...KycEvidenceLaws.laws,
  ...KycScopeLaws.laws,
  ...KycGrantLaws.laws
]

/** The laws of `KycStore`. */
export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf("KycStore", laws)
