import { Context, DateTime, type Duration, Effect, Layer, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { ConsumerNotFound } from "../../consumer/Consumers.js"
import type { StoreError } from "../../StoreError.js"
import { ConsentLinkUnknown } from "../ConsentError.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import * as ConsentToken from "./ConsentToken.js"
import { ConsentUrls } from "./ConsentUrls.js"
import { isLinkOpen, type ManagementLink } from "./ManagementLink.js"
import { ManagementLinkStore } from "./ManagementLinkStore.js"

/** A new management link. Its url cannot be retrieved later, because only the token's hash is stored. */
export interface IssuedLink {
  readonly url: Redacted.Redacted<string>
  readonly expiresAt: DateTime.Utc
}

/**
 * An opened management link, whose bearer may see and revoke the person's consents. `merchantId`, if present, limits
 * the link to that merchant.
 */
export type Manager = Pick<ManagementLink, "environment" | "userId" | "serviceId" | "merchantId" | "expiresAt">

/** Links that let people see and revoke their consents. */
export class ManagementLinks extends Context.Service<
  ManagementLinks,
  {
    /** Opens a management link. Fails with `ConsentLinkUnknown` if the link is unknown or expired. */
    readonly open: (token: Redacted.Redacted<string>) => Effect.Effect<Manager, ConsentLinkUnknown | StoreError>

    /**
     * Issues a management link. The caller must first have authenticated the person. The default `lifetime` is the
     * policy's `requestLifetime`. Fails if the person does not exist, for example after an erasure.
     */
    readonly issue: (
      person: Person,
      options?: { readonly lifetime?: Duration.Duration }
    ) => Effect.Effect<IssuedLink, ConsumerNotFound | StoreError>

    /** Deletes up to `limit` links that expired before `expiredBefore`. Returns the count. */
    readonly forget: (expiredBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/link/ManagementLinks") {}

type Needs = ConsentUrls | ManagementLinkStore | Digest.Digest | SecureRandom.SecureRandom

export const layer: Layer.Layer<ManagementLinks, never, Needs> = Layer.effect(
  ManagementLinks,
  Effect.gen(function* () {
    const urls = yield* ConsentUrls
    const store = yield* ManagementLinkStore
    const digest = yield* Digest.Digest
    const random = yield* SecureRandom.SecureRandom
    const policy = yield* ConsentPolicy

    const open = Effect.fn("ManagementLinks.open")(function* (token: Redacted.Redacted<string>) {
      const found = yield* store.find(
        yield* Effect.provideService(ConsentToken.hashOfSent(token), Digest.Digest, digest)
      )
      if (Option.isNone(found) || !isLinkOpen(found.value, yield* DateTime.now)) return yield* new ConsentLinkUnknown()
      const manager: Manager = found.value
      return manager
    })

    const issue = Effect.fn("ManagementLinks.issue")(function* (
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

    return ManagementLinks.of({ open, issue, forget: store.forget })
  })
)
