import { DateTime, type Duration, Effect, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { Person } from "../../consumer/ConsumerDirectory.js"
import { ConsentLinkUnknown } from "../ConsentError.js"
import { ConsentLog } from "../ConsentLog.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import type { DataRequest } from "../request/DataRequest.js"
import * as ConsentToken from "./ConsentToken.js"
import { ConsentLinks } from "./ConsentUrls.js"
import { isOpen, type ManagementLink } from "./ManagementLink.js"
import { ManagementLinkStore } from "./ManagementLinkStore.js"

/** A link of a person's own, until it expires. */
export interface IssuedLink {
  readonly url: Redacted.Redacted<string>
  readonly expiresAt: DateTime.Utc
}

/** Whom a management link shows: whoever holds one may see and take back what it covers. */
export type Manager = Pick<ManagementLink, "environment" | "userId" | "serviceId" | "merchantId" | "expiresAt">

/** Whether the person has decided, and not said that the request was meant for somebody else. */
export const leadsOn = ({ denialReason, status }: DataRequest): boolean =>
  status === "APPROVED" || (status === "DENIED" && denialReason !== "NOT_ME")

/** The making and opening of the links with which people take consents back. */
export const make = Effect.gen(function* () {
  const consentLinks = yield* ConsentLinks
  const store = yield* ManagementLinkStore
  const log = yield* ConsentLog
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const policy = yield* ConsentPolicy

  const hashOf = (token: Redacted.Redacted<string>) =>
    Effect.provideService(ConsentToken.hashOf(token), Digest.Digest, digest)

  /** The token of the link that belongs to a consent link. */
  const tokenAfter = (token: Redacted.Redacted<string>): Effect.Effect<Redacted.Redacted<string>> =>
    Effect.provideService(ConsentToken.managementTokenOf(token), Digest.Digest, digest)

  /**
   * Kept before the decision, so that no crash leaves a person without a way back; it leads nowhere before it. In TEST the merchant has the link too,
   * and sees what concerns itself alone.
   */
  const keepAfter = Effect.fnUntraced(function* (token: Redacted.Redacted<string>, request: DataRequest) {
    const { environment, id: dataRequestId, merchantId, serviceId, userId } = request
    const now = yield* DateTime.now
    yield* store.keep({
      tokenHash: yield* hashOf(yield* tokenAfter(token)),
      environment,
      userId,
      serviceId,
      dataRequestId,
      ...(environment === "TEST" ? { merchantId } : {}),
      createdAt: now,
      expiresAt: DateTime.addDuration(now, policy.grantLifetime)
    })
  })

  const issue = Effect.fn("PersonConsents.issueLink")(function* (
    { environment, serviceId, userId }: Person,
    { lifetime = policy.requestLifetime }: { readonly lifetime?: Duration.Duration } = {}
  ) {
    const token = yield* Effect.provideService(ConsentToken.next, SecureRandom.SecureRandom, random)
    const createdAt = yield* DateTime.now
    const expiresAt = DateTime.addDuration(createdAt, lifetime)
    yield* store.keep({ tokenHash: yield* hashOf(token), environment, userId, serviceId, createdAt, expiresAt })
    const issued: IssuedLink = { url: consentLinks.managementUrlOf(token), expiresAt }
    return issued
  })

  /**
   * Whether the person decided by the consent link that the management link belongs to. Whoever said there that it was
   * not meant for them sees nothing of whose it is; and where two decide at once, both links' keeping comes first.
   */
  const wasDecided = Effect.fnUntraced(function* ({ dataRequestId }: ManagementLink) {
    if (dataRequestId === undefined) return true
    const found = yield* log.findRequest({ id: dataRequestId, scope: undefined })
    return Option.exists(found, leadsOn)
  })

  const open = Effect.fn("PersonConsents.open")(function* (token: Redacted.Redacted<string>) {
    if (!ConsentToken.isOfForm(token)) return yield* new ConsentLinkUnknown()
    const found = yield* store.find(yield* hashOf(token))
    const now = yield* DateTime.now
    if (Option.isNone(found) || !isOpen(found.value, now)) return yield* new ConsentLinkUnknown()
    if (!(yield* wasDecided(found.value))) return yield* new ConsentLinkUnknown()
    const manager: Manager = found.value
    return manager
  })

  return { tokenAfter, keepAfter, issue, open, forget: store.forget }
})
