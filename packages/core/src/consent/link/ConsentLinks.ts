import { Context, DateTime, type Duration, Effect, Layer, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { ConsumerNotFound } from "../../consumer/Consumers.js"
import { hasSandboxAccess } from "../../merchant/Merchant.js"
import type { StoreError } from "../../StoreError.js"
import { ConsentLinkUnknown } from "../ConsentError.js"
import { ConsentLog, type LinkedDataRequest } from "../ConsentLog.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import { dataRequestAsOf } from "../request/DataRequest.js"
import type { ConsentSnapshot } from "../request/decideConsent.js"
import * as ConsentToken from "./ConsentToken.js"
import { ConsentUrls } from "./ConsentUrls.js"
import { isLinkOpen, type ManagementLink } from "./ManagementLink.js"
import { ManagementLinkStore } from "./ManagementLinkStore.js"

/** The request behind a consent link. A decision made with it needs no second read. */
export interface OpenedLink extends ConsentSnapshot {
  readonly token: Redacted.Redacted<string>
}

/** A new management link. */
export interface IssuedLink {
  readonly url: Redacted.Redacted<string>
  readonly expiresAt: DateTime.Utc
}

/** Whose consents a management link shows: its holder may see and revoke what it covers. */
export type Manager = Pick<ManagementLink, "environment" | "userId" | "serviceId" | "merchantId" | "expiresAt">

/** The links that people hold: one leads to a data request, the other to everything they have approved. */
export class ConsentLinks extends Context.Service<
  ConsentLinks,
  {
    /**
     * The data request behind a consent link, as of now: it may be decided or expired. A pending request's link is
     * unknown while the person does not know the merchant (`NOT_ME`), or if the merchant is REJECTED or CLOSED.
     */
    readonly open: (token: Redacted.Redacted<string>) => Effect.Effect<OpenedLink, ConsentLinkUnknown | StoreError>

    /** Whose consents a management link shows. */
    readonly openManagement: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<Manager, ConsentLinkUnknown | StoreError>

    /** The token of the management link that a decision with this consent link makes. */
    readonly managementToken: (token: Redacted.Redacted<string>) => Effect.Effect<Redacted.Redacted<string>>

    /**
     * Makes a management link. The caller has made sure that it is talking to this person. Fails if they were erased
     * meanwhile.
     */
    readonly issue: (
      person: Person,
      options?: { readonly lifetime?: Duration.Duration }
    ) => Effect.Effect<IssuedLink, ConsumerNotFound | StoreError>

    /** Deletes at most `limit` management links that expired before that moment. Returns how many. */
    readonly forget: (expiredBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/ConsentLinks") {}

const leadsNowhere = ({ blockedAs, merchantStatus, request }: LinkedDataRequest): boolean =>
  request.status === "PENDING" && (blockedAs === "NOT_ME" || !hasSandboxAccess(merchantStatus))

type Needs = ConsentUrls | ManagementLinkStore | ConsentLog | Digest.Digest | SecureRandom.SecureRandom

export const layer: Layer.Layer<ConsentLinks, never, Needs> = Layer.effect(
  ConsentLinks,
  Effect.gen(function* () {
    const urls = yield* ConsentUrls
    const store = yield* ManagementLinkStore
    const log = yield* ConsentLog
    const digest = yield* Digest.Digest
    const random = yield* SecureRandom.SecureRandom
    const policy = yield* ConsentPolicy

    const hashOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
      if (!ConsentToken.isOfForm(token)) return yield* new ConsentLinkUnknown()
      return yield* Effect.provideService(ConsentToken.hashOf(token), Digest.Digest, digest)
    })

    const open = Effect.fn("ConsentLinks.open")(function* (token: Redacted.Redacted<string>) {
      const found = yield* log.findByToken(yield* hashOf(token))
      if (Option.isNone(found) || leadsNowhere(found.value)) return yield* new ConsentLinkUnknown()
      const { blockedAs, controller, merchantStatus, request } = found.value
      const opened: OpenedLink = {
        token,
        request: dataRequestAsOf(request, yield* DateTime.now),
        controller,
        merchantStatus,
        blockedAs
      }
      return opened
    })

    const openManagement = Effect.fn("ConsentLinks.openManagement")(function* (token: Redacted.Redacted<string>) {
      const found = yield* store.find(yield* hashOf(token))
      if (Option.isNone(found) || !isLinkOpen(found.value, yield* DateTime.now)) return yield* new ConsentLinkUnknown()
      const manager: Manager = found.value
      return manager
    })

    const issue = Effect.fn("ConsentLinks.issue")(function* (
      { environment, serviceId, userId }: Person,
      { lifetime = policy.requestLifetime }: { readonly lifetime?: Duration.Duration } = {}
    ) {
      const token = yield* Effect.provideService(ConsentToken.next, SecureRandom.SecureRandom, random)
      const tokenHash = yield* Effect.provideService(ConsentToken.hashOf(token), Digest.Digest, digest)
      const createdAt = yield* DateTime.now
      const expiresAt = DateTime.addDuration(createdAt, lifetime)
      const isKnown = yield* store.keep({ tokenHash, environment, userId, serviceId, createdAt, expiresAt })
      if (!isKnown) return yield* new ConsumerNotFound({ serviceId })
      const issued: IssuedLink = { url: urls.managementUrlOf(token), expiresAt }
      return issued
    })

    return ConsentLinks.of({
      open,
      openManagement,
      managementToken: (token) => Effect.provideService(ConsentToken.managementTokenOf(token), Digest.Digest, digest),
      issue,
      forget: store.forget
    })
  })
)
