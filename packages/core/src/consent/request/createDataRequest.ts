import { DateTime, Effect, Redacted, Result } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { IdentityFields } from "../../consumer/IdentityField.js"
import { DataRequestId } from "../../Ids.js"
import { IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring, type SealedSecret } from "../../secret/Keyring.js"
import { AskLimits } from "../asking/AskLimits.js"
import type { AskRefused } from "../asking/decideAsk.js"
import { type TooManyUnknownConsumers, UnknownConsumerLimit } from "../asking/UnknownConsumerLimit.js"
import { ConsentRequestInvalid } from "../ConsentError.js"
import * as ConsentMetrics from "../ConsentMetrics.js"
import { ConsentStore } from "../ConsentStore.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import * as ConsentToken from "../link/ConsentToken.js"
import { ConsentUrls } from "../link/ConsentUrls.js"
import * as ConsentNotices from "../notification/ConsentNotices.js"
import * as DataRequestCommand from "./DataRequestCommand.js"
import { withConsentUrl } from "./DataRequestRecord.js"
import { type DataRequestContext, decideDataRequest } from "./decideDataRequest.js"

export type DataRequestFailed =
  | ConsentRequestInvalid
  | ConsumerNotFound
  | AskRefused
  | TooManyUnknownConsumers
  | IdempotencyKeyReused
  | StoreError

/** The new values of a request, made before the decision so that deciding again repeats them. */
const makeContexts = Effect.gen(function* () {
  const urls = yield* ConsentUrls
  const keyring = yield* Keyring
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const policy = yield* ConsentPolicy
  const limits = yield* AskLimits

  const nextLink = Effect.fnUntraced(function* (requestId: DataRequestId) {
    const token = yield* ConsentToken.next
    return {
      tokenHash: yield* ConsentToken.hashOf(token),
      sealedUrl: yield* keyring.seal(requestId, urls.urlOf(token))
    }
  })

  return Effect.fnUntraced(
    function* (scope: MerchantScope, idempotencyKey: IdempotencyKey, command: DataRequestCommand.DataRequestCommand) {
      const requestId = yield* DataRequestId.next
      const context: DataRequestContext = {
        scope,
        idempotencyKey,
        fingerprints: yield* keyring.fingerprints(DataRequestCommand.canonicalText(command)),
        now: yield* DateTime.now,
        requestId,
        link: yield* nextLink(requestId),
        policy,
        limits
      }
      return context
    },
    Effect.provideService(SecureRandom.SecureRandom, random),
    Effect.provideService(Digest.Digest, digest)
  )
})

/** `DataRequests.create`. */
export const makeCreate = Effect.gen(function* () {
  const store = yield* ConsentStore
  const notices = yield* ConsentNotices.make
  const unknownConsumers = yield* UnknownConsumerLimit
  const keyring = yield* Keyring
  const scopeOfService = yield* Effect.scope
  const known = yield* IdentityFields
  const contextOf = yield* makeContexts

  /** The stored answer as it is sent: in TEST with the link, which is stored sealed. */
  const bodyOf = Effect.fnUntraced(function* (
    { environment }: MerchantScope,
    requestId: DataRequestId,
    answer: string,
    sealedUrl: SealedSecret | undefined
  ) {
    if (environment === "LIVE" || sealedUrl === undefined) return answer
    const url = yield* Effect.orDie(keyring.open(requestId, sealedUrl))
    return withConsentUrl(answer, Redacted.value(url))
  })

  const notifyInBackground = (id: DataRequestId) =>
    notices.send(id).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Consent notification failed; retrying later", cause)),
      Effect.forkIn(scopeOfService)
    )

  return Effect.fn("DataRequests.create")(function* (
    scope: MerchantScope,
    key: IdempotencyKey,
    form: DataRequestCommand.DataRequestForm
  ) {
    yield* unknownConsumers.check(scope)
    const parsed = DataRequestCommand.parse(form, known)
    if (Result.isFailure(parsed)) return yield* new ConsentRequestInvalid({ faults: parsed.failure })
    const command = parsed.success
    const context = yield* contextOf(scope, key, command)
    const lookup = { ...command, scope, idempotencyKey: key, now: context.now }
    const decision = yield* store.request(lookup, (snapshot) => decideDataRequest(snapshot, command, context))
    switch (decision._tag) {
      case "Replay": {
        const { answer, requestId, sealedUrl } = decision.prior
        return { body: yield* bodyOf(scope, requestId, answer, sealedUrl), replayed: true }
      }
      case "KeyReused":
        return yield* new IdempotencyKeyReused()
      case "Refuse":
        if (decision.reason._tag === "ConsumerNotFound") yield* unknownConsumers.count(scope)
        return yield* decision.reason
      case "Repeat": {
        const { answer, request, sealedUrl } = decision.plan.open
        return { body: yield* bodyOf(scope, request.id, answer, sealedUrl), replayed: false }
      }
      case "Execute": {
        const { answer, link, notifyAt, request } = decision.plan
        yield* ConsentMetrics.countMade(request)
        if (notifyAt !== undefined) yield* notifyInBackground(request.id)
        return { body: yield* bodyOf(scope, request.id, answer, link?.sealedUrl), replayed: false }
      }
    }
  })
})
