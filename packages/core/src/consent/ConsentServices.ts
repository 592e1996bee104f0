import { Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerDirectory } from "../consumer/ConsumerDirectory.js"
import type { ConsumerStore } from "../consumer/ConsumerStore.js"
import type { Responses } from "../idempotency/Responses.js"
import type { MerchantStore } from "../merchant/MerchantStore.js"
import type { Keyring } from "../secret/Keyring.js"
import * as AskingBlocks from "./asking/AskingBlocks.js"
import type { UnknownConsumerLimit } from "./asking/UnknownConsumerLimit.js"
import type { ConsentLog } from "./ConsentLog.js"
import type { ConsentStore } from "./ConsentStore.js"
import * as ConsentSweep from "./ConsentSweep.js"
import type { ConsentUpkeep } from "./ConsentUpkeep.js"
import * as Grants from "./grant/Grants.js"
import type { ConsentUrls } from "./link/ConsentUrls.js"
import type { ManagementLinkStore } from "./link/ManagementLinkStore.js"
import * as ManagementLinks from "./link/ManagementLinks.js"
import type { ConsentNotifier } from "./notification/ConsentNotifier.js"
import * as IdentityReads from "./read/IdentityReads.js"
import * as ReceiptSigner from "./receipt/ReceiptSigner.js"
import * as Receipts from "./receipt/Receipts.js"
import * as DataRequests from "./request/DataRequests.js"

/** Services that `layer` provides (contract 7). */
export type ConsentServices =
  | DataRequests.DataRequests
  | Grants.Grants
  | IdentityReads.IdentityReads
  | Receipts.Receipts
  | ReceiptSigner.ReceiptSigner
  | ManagementLinks.ManagementLinks
  | AskingBlocks.AskingBlocks
  | ConsentSweep.ConsentSweep

type Needs =
  | ConsentStore
  | ConsentLog
  | ConsentUpkeep
  | ConsumerStore
  | MerchantStore
  | ManagementLinkStore
  | ConsumerDirectory
  | ConsentNotifier
  | ConsentUrls
  | UnknownConsumerLimit
  | Keyring
  | Responses
  | Digest.Digest
  | SecureRandom.SecureRandom

/** Provides `ConsentServices`. To provide only some of them, use the services' own layers. */
export const layer: Layer.Layer<ConsentServices, never, Needs> = Layer.provideMerge(
  ConsentSweep.layer,
  Layer.mergeAll(
    DataRequests.layer,
    Grants.layer,
    IdentityReads.layer,
    Receipts.layer,
    ReceiptSigner.layer,
    ManagementLinks.layer,
    AskingBlocks.layer
  )
)
