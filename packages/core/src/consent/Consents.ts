import { Context, DateTime, type Duration, Effect, Layer } from "effect"
import type { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerDirectory, Person } from "../consumer/ConsumerDirectory.js"
import type { ConsumerStore } from "../consumer/ConsumerStore.js"
import type { Responses } from "../idempotency/Responses.js"
import type { MerchantStore } from "../merchant/MerchantStore.js"
import type { StoreError } from "../StoreError.js"
import type { Keyring } from "../secret/Keyring.js"
import type { UnknownConsumerLimit } from "./asking/UnknownConsumerLimit.js"
import type { ConsentLog } from "./ConsentLog.js"
import type { ConsentStore } from "./ConsentStore.js"
import { ConsentUpkeep } from "./ConsentUpkeep.js"
import * as Decisions from "./Decisions.js"
import { ConsentPolicy } from "./grant/ConsentPolicy.js"
import * as Grants from "./grant/Grants.js"
import * as ManagementLinks from "./link/ConsentLinks.js"
import type { ConsentLinks } from "./link/ConsentUrls.js"
import type { ManagementLinkStore } from "./link/ManagementLinkStore.js"
import * as ConsentNotices from "./notification/ConsentNotices.js"
import type { ConsentNotifier } from "./notification/ConsentNotifier.js"
import * as IdentityReads from "./read/IdentityReads.js"
import * as ReceiptBook from "./receipt/Receipts.js"
import * as DataRequests from "./request/DataRequests.js"

/** What a round of upkeep has done. */
export interface Swept {
  readonly requestsExpired: number
  readonly grantsExpired: number
  readonly peopleTold: number
  readonly answersForgotten: number
}

interface Upkeep {
  /**
   * Records what has expired, with its receipts, tells people of requests that they were not told of, and forgets the
   * answers of old requests (contract 6, 7). Does a bounded part of each: to be repeated, by any number of nodes.
   */
  readonly sweep: Effect.Effect<Swept, StoreError>
}

interface Links {
  /** A new management link, for whoever has made sure that they speak with this person. */
  readonly issueLink: (
    person: Person,
    options?: { readonly lifetime?: Duration.Duration }
  ) => Effect.Effect<ManagementLinks.IssuedLink, StoreError>
}

/** Consent from the question to the proof: requests, decisions, grants, readings, receipts (contract 7). */
export class Consents extends Context.Service<
  Consents,
  DataRequests.DataRequests &
    Decisions.Decisions &
    Grants.Grants &
    IdentityReads.IdentityReads &
    ReceiptBook.ReceiptBook &
    Links &
    Upkeep
>()("@surety/core/consent/Consents") {}

/** How much of each kind a sweep does. */
const sweptAtOnce = 500

type Needs =
  | ConsentStore
  | ConsentLog
  | ConsentUpkeep
  | ConsumerStore
  | MerchantStore
  | ConsumerDirectory
  | ConsentNotifier
  | ConsentLinks
  | ManagementLinkStore
  | UnknownConsumerLimit
  | Keyring
  | Responses
  | Digest.Digest
  | SecureRandom.SecureRandom

export const layer: Layer.Layer<Consents, never, Needs> = Layer.effect(
  Consents,
  Effect.gen(function* () {
    const upkeep = yield* ConsentUpkeep
    const policy = yield* ConsentPolicy
    const notices = yield* ConsentNotices.make
    const requests = yield* DataRequests.make(notices)
    const decisions = yield* Decisions.make
    const grants = yield* Grants.make
    const identities = yield* IdentityReads.make
    const book = yield* ReceiptBook.make
    const links = yield* ManagementLinks.make

    const sweep = Effect.gen(function* () {
      const now = yield* DateTime.now
      const lapsed = yield* upkeep.lapsed(now, sweptAtOnce)
      const expiredRequests = yield* Effect.forEach(lapsed.requests, decisions.expire, { concurrency: 8 })
      const expiredGrants = yield* Effect.forEach(lapsed.grants, grants.expireGrant, { concurrency: 8 })
      const swept: Swept = {
        requestsExpired: expiredRequests.filter(Boolean).length,
        grantsExpired: expiredGrants.filter(Boolean).length,
        peopleTold: yield* notices.send(undefined),
        answersForgotten: yield* upkeep.forgetAnswers(DateTime.subtractDuration(now, policy.keyRetention), sweptAtOnce)
      }
      return swept
    }).pipe(Effect.withSpan("Consents.sweep"))

    return Consents.of({ ...requests, ...decisions, ...grants, ...identities, ...book, issueLink: links.issue, sweep })
  })
)
