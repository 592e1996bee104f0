import { DateTime, Effect, Option, type Redacted, type Scope } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { type DataRequestId, nextDataRequestId } from "../../Ids.js"
import { IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import { type Answered, Responses } from "../../idempotency/Responses.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring, type SealedSecret } from "../../secret/Keyring.js"
import { AskLimits } from "../asking/AskLimits.js"
import type { AskRefused } from "../asking/decideAsk.js"
import { type TooManyUnknownConsumers, UnknownConsumerLimit } from "../asking/UnknownConsumerLimit.js"
import { DataRequestNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import * as ConsentMetrics from "../ConsentMetrics.js"
import { ConsentStore, type ConsentTarget } from "../ConsentStore.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import * as ConsentToken from "../link/ConsentToken.js"
import { ConsentLinks } from "../link/ConsentUrls.js"
import type { ConsentNotices } from "../notification/ConsentNotices.js"
import { asOf, type DataRequest } from "./DataRequest.js"
import { canonicalText, type DataRequestCommand } from "./DataRequestCommand.js"
import { type DataRequestContext, decideDataRequest } from "./decideDataRequest.js"

export type DataRequestFailed =
  | ConsumerNotFound
  | AskRefused
  | TooManyUnknownConsumers
  | IdempotencyKeyReused
  | StoreError

export interface AnsweredDataRequest extends Answered {
  readonly request: DataRequest
  /** TEST only, while the link leads somewhere: where to decide in the person's place. */
  readonly consentUrl: Redacted.Redacted<string> | undefined
}

/** What a merchant does with its questions to people. */
export interface DataRequests {
  /**
   * Asks a person to approve fields, or returns what the same key returned before. While the same question is pending, it
   * is returned under any key. In TEST with `consentUrl`; in LIVE the link goes only to the person, through
   * `ConsentNotifier`.
   */
  readonly request: (
    scope: MerchantScope,
    key: IdempotencyKey,
    command: DataRequestCommand
  ) => Effect.Effect<AnsweredDataRequest, DataRequestFailed>

  /** The request as it is now. */
  readonly get: (target: ConsentTarget<DataRequestId>) => Effect.Effect<DataRequest, DataRequestNotFound | StoreError>

  /** Requests as they are now, newest first; of one person when `userId` is given. */
  readonly list: (
    listing: ConsentListing,
    filter: PersonFilter,
    page: PageRequest
  ) => Effect.Effect<Page<DataRequest>, StoreError>
}

type Needs =
  | ConsentStore
  | ConsentLog
  | ConsentLinks
  | UnknownConsumerLimit
  | Keyring
  | Responses
  | Digest.Digest
  | SecureRandom.SecureRandom
  | Scope.Scope

export const make = Effect.fnUntraced(function* (
  notices: ConsentNotices
): Effect.fn.Return<DataRequests, never, Needs> {
  const store = yield* ConsentStore
  const log = yield* ConsentLog
  const links = yield* ConsentLinks
  const unknownConsumers = yield* UnknownConsumerLimit
  const keyring = yield* Keyring
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const { dataRequest: responseOf } = yield* Responses
  const policy = yield* ConsentPolicy
  const limits = yield* AskLimits

  const nextLink = Effect.fnUntraced(
    function* (requestId: DataRequestId) {
      const token = yield* ConsentToken.next
      return {
        tokenHash: yield* ConsentToken.hashOf(token),
        sealedUrl: yield* keyring.seal(requestId, links.urlOf(token))
      }
    },
    Effect.provideService(SecureRandom.SecureRandom, random),
    Effect.provideService(Digest.Digest, digest)
  )

  const contextOf = Effect.fnUntraced(function* (
    merchant: MerchantScope,
    idempotencyKey: IdempotencyKey,
    command: DataRequestCommand
  ) {
    const requestId = yield* Effect.provideService(nextDataRequestId, SecureRandom.SecureRandom, random)
    const context: DataRequestContext = {
      scope: merchant,
      idempotencyKey,
      fingerprints: yield* keyring.fingerprints(canonicalText(command)),
      now: yield* DateTime.now,
      requestId,
      link: yield* nextLink(requestId),
      policy,
      limits,
      responseOf
    }
    return context
  })

  /** The link as the merchant gets it: in TEST only. */
  const consentUrlOf = Effect.fnUntraced(function* (
    { environment }: MerchantScope,
    requestId: DataRequestId,
    sealedUrl: SealedSecret | undefined
  ) {
    if (environment === "LIVE" || sealedUrl === undefined) return undefined
    return yield* Effect.orDie(keyring.open(requestId, sealedUrl))
  })

  const get = Effect.fn("Consents.get")(function* (target: ConsentTarget<DataRequestId>) {
    const found = yield* log.findRequest(target)
    if (Option.isNone(found)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    return asOf(found.value, yield* DateTime.now)
  })

  const notifyInBackground = (id: DataRequestId) =>
    notices.send(id).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Telling a person of a data request failed", cause)),
      Effect.forkIn(scope)
    )

  const request = Effect.fn("Consents.request")(function* (
    merchant: MerchantScope,
    key: IdempotencyKey,
    command: DataRequestCommand
  ) {
    yield* unknownConsumers.check(merchant)
    const context = yield* contextOf(merchant, key, command)
    const lookup = { ...command, scope: merchant, idempotencyKey: key, now: context.now }
    const decision = yield* store.request(lookup, (snapshot) => decideDataRequest(snapshot, command, context))
    switch (decision._tag) {
      case "Replay": {
        const { answer, requestId, sealedUrl } = decision.prior
        return {
          // Data requests are never deleted.
          request: yield* Effect.catchTag(get({ id: requestId, scope: merchant }), "DataRequestNotFound", Effect.die),
          response: answer,
          consentUrl: yield* consentUrlOf(merchant, requestId, sealedUrl),
          replayed: true
        }
      }
      case "KeyReused":
        return yield* new IdempotencyKeyReused()
      case "Refuse":
        if (decision.reason._tag === "ConsumerNotFound") yield* unknownConsumers.count(merchant)
        return yield* decision.reason
      case "Repeat": {
        const { answer, request, sealedUrl } = decision.plan.open
        const consentUrl = yield* consentUrlOf(merchant, request.id, sealedUrl)
        return { request, response: answer, consentUrl, replayed: false }
      }
      case "Execute": {
        const { answer, link, notifyAt, request } = decision.plan
        yield* ConsentMetrics.countMade(request)
        if (notifyAt !== undefined) yield* notifyInBackground(request.id)
        const consentUrl = yield* consentUrlOf(merchant, request.id, link?.sealedUrl)
        return { request, response: answer, consentUrl, replayed: false }
      }
    }
  })

  const list = Effect.fn("Consents.list")(function* (listing: ConsentListing, filter: PersonFilter, page: PageRequest) {
    const { data, nextCursor } = yield* log.listRequests(listing, filter, page)
    const now = yield* DateTime.now
    return { data: data.map((one) => asOf(one, now)), nextCursor }
  })

  return { request, get, list }
})
