import { DateTime, Effect, Option, type Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { DataRequestId } from "../../Ids.js"
import { IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import { type Answered, Responses } from "../../idempotency/Responses.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { MerchantNotActive } from "../../merchant/MerchantError.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring, type SealedSecret } from "../../secret/Keyring.js"
import { AskLimits } from "../asking/AskLimits.js"
import type { AskRefused } from "../asking/decideAsk.js"
import { type TooManyUnknownConsumers, UnknownConsumerLimit } from "../asking/UnknownConsumerLimit.js"
import { ConsentRequestInvalid, type ReturnUrlNotAllowed } from "../ConsentError.js"
import { ConsentLog } from "../ConsentLog.js"
import { ConsentStore } from "../ConsentStore.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import { isWithin, policyDays } from "../grant/GrantDuration.js"
import * as ConsentToken from "../link/ConsentToken.js"
import { ConsentUrls } from "../link/ConsentUrls.js"
import * as ConsentNotifications from "../notification/ConsentNotifications.js"
import { countRequest, type DataRequest, dataRequestAsOf } from "./DataRequest.js"
import { canonicalDataRequest, type DataRequestCommand } from "./DataRequestCommand.js"
import { type DataRequestContext, decideDataRequest, leadingTo } from "./decideDataRequest.js"

export type DataRequestFailed =
  | MerchantNotActive
  | ConsumerNotFound
  | ConsentRequestInvalid
  | ReturnUrlNotAllowed
  | AskRefused
  | TooManyUnknownConsumers
  | IdempotencyKeyReused
  | StoreError

export interface AnsweredDataRequest extends Answered {
  readonly request: DataRequest
  /** url at which the merchant decides in place of the person. Present only in TEST, while the link is stored. */
  readonly consentUrl: Redacted.Redacted<string> | undefined
}

const makeContexts = Effect.gen(function* () {
  const urls = yield* ConsentUrls
  const keyring = yield* Keyring
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const policy = yield* ConsentPolicy
  const limits = yield* AskLimits
  const { dataRequest: responseOf } = yield* Responses

  const nextLink = Effect.fnUntraced(function* (requestId: DataRequestId) {
    const token = yield* ConsentToken.next
    return {
      tokenHash: yield* ConsentToken.hashOf(token),
      sealedUrl: yield* keyring.seal(requestId, urls.urlOf(token))
    }
  })

  return Effect.fnUntraced(
    function* (scope: MerchantScope, idempotencyKey: IdempotencyKey, command: DataRequestCommand) {
      const requestId = yield* DataRequestId.next
      const context: DataRequestContext = {
        scope,
        idempotencyKey,
        fingerprints: yield* keyring.fingerprints(canonicalDataRequest(command)),
        now: yield* DateTime.now,
        requestId,
        link: yield* nextLink(requestId),
        policy,
        limits,
        responseOf
      }
      return context
    },
    Effect.provideService(SecureRandom.SecureRandom, random),
    Effect.provideService(Digest.Digest, digest)
  )
})

/** Builds `DataRequests.create`. */
export const makeCreate = Effect.gen(function* () {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const notifications = yield* ConsentNotifications.make
  const unknownConsumers = yield* UnknownConsumerLimit
  const keyring = yield* Keyring
  const scopeOfService = yield* Effect.scope
  const policy = yield* ConsentPolicy
  const contextOf = yield* makeContexts

  const requireDuration = Effect.fnUntraced(function* ({ duration }: DataRequestCommand) {
    if (duration === undefined || isWithin(duration, undefined, policy)) return
    const detail = `Send ONE_TIME, or a whole number of days from 1 to ${policyDays(policy)}.`
    yield* new ConsentRequestInvalid({ faults: [{ path: ["duration"], code: "duration_too_long", detail }] })
  })

  const consentUrlOf = Effect.fnUntraced(function* (
    { environment }: MerchantScope,
    requestId: DataRequestId,
    sealedUrl: SealedSecret | undefined
  ) {
    if (environment === "LIVE" || sealedUrl === undefined) return undefined
    return yield* Effect.orDie(keyring.open(requestId, sealedUrl))
  })

  /** Dies if the request is missing, since requests are never deleted. */
  const requestOf = Effect.fnUntraced(function* (scope: MerchantScope, id: DataRequestId) {
    const found = yield* log.findRequest({ id, scope })
    if (Option.isNone(found)) return yield* Effect.die(new Error(`data request ${id} has a response but is missing`))
    return dataRequestAsOf(found.value, yield* DateTime.now)
  })

  const notifyInBackground = (id: DataRequestId) =>
    notifications.send(id).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Consent notification failed; retrying later", cause)),
      Effect.forkIn(scopeOfService)
    )

  return Effect.fn("DataRequests.create")(function* (
    scope: MerchantScope,
    key: IdempotencyKey,
    command: DataRequestCommand
  ): Effect.fn.Return<AnsweredDataRequest, DataRequestFailed> {
    yield* requireDuration(command)
    yield* unknownConsumers.check(scope)
    const context = yield* contextOf(scope, key, command)
    const lookup = { ...command, scope, idempotencyKey: key, now: context.now }
    const decision = yield* store.request(lookup, (snapshot) => decideDataRequest(snapshot, command, context))
    switch (decision._tag) {
      case "Replay": {
        const { answer, requestId, sealedUrl } = decision.prior
        const consentUrl = yield* consentUrlOf(scope, requestId, sealedUrl)
        return { request: yield* requestOf(scope, requestId), response: answer, consentUrl, replayed: true }
      }
      case "KeyReused":
        return yield* new IdempotencyKeyReused()
      case "Refuse":
        if (decision.reason._tag === "ConsumerNotFound") yield* unknownConsumers.count(scope)
        return yield* decision.reason
      case "Repeat": {
        const { open, returnTo } = decision.plan
        const { answer, sealedUrl } = open
        const request = leadingTo(open.request, returnTo)
        const consentUrl = yield* consentUrlOf(scope, request.id, sealedUrl)
        return { request, response: answer, consentUrl, replayed: false }
      }
      case "Execute": {
        const { answer, link, notifyAt, request } = decision.plan
        yield* countRequest(request)
        if (notifyAt !== undefined) yield* notifyInBackground(request.id)
        const consentUrl = yield* consentUrlOf(scope, request.id, link?.sealedUrl)
        return { request, response: answer, consentUrl, replayed: false }
      }
    }
  })
})
