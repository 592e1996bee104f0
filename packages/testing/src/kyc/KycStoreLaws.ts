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
import * as KycLeaseLaws from "./KycLeaseLaws.js"
import * as KycProgressLaws from "./KycProgressLaws.js"
import * as KycReceiptLaws from "./KycReceiptLaws.js"
import * as KycScopeLaws from "./KycScopeLaws.js"

export type KycStorePorts = KycStore | ConsentStore | ConsentLog | ConsumerStore | MerchantStore

export const laws: ReadonlyArray<Law<KycStorePorts>> = [
  ...KycBeginLaws.laws,
  ...KycLeaseLaws.laws,
  ...KycReceiptLaws.laws,
  ...KycProgressLaws.laws,
  ...KycEvidenceLaws.laws,
  ...KycScopeLaws.laws,
  ...KycGrantLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<KycStorePorts, unknown>) => void = suiteOf("KycStore", laws)
