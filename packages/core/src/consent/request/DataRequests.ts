import { DateTime, Effect, Option, Redacted, Result, type Scope } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ConsumerNotFound } from "../../consumer/Consumers.js"
import { IdentityFields } from "../../consumer/IdentityField.js"
import { type DataRequestId, nextDataRequestId } from "../../Ids.js"
import type { Answer } from "../../idempotency/Answer.js"
import { IdempotencyKeyReused } from "../../idempotency/IdempotencyError.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import { Keyring, type SealedSecret } from "../../secret/Keyring.js"
import { AskLimits } from "../asking/AskLimits.js"
import type { AskRefused } from "../asking/decideAsk.js"
import { type TooManyUnknownConsumers, UnknownConsumerLimit } from "../asking/UnknownConsumerLimit.js"
import { ConsentRequestInvalid, DataRequestNotFound } from "../ConsentError.js"
import { type ConsentListing, ConsentLog, type PersonFilter } from "../ConsentLog.js"
import * as ConsentMetrics from "../ConsentMetrics.js"
import { ConsentStore, type ConsentTarget } from "../ConsentStore.js"
import { ConsentPolicy } from "../grant/ConsentPolicy.js"
import * as ConsentToken from "../link/ConsentToken.js"
import { ConsentLinks } from "../link/ConsentUrls.js"
import type { ConsentNotices } from "../notification/ConsentNotices.js"
import { asOf, type DataRequest } from "./DataRequest.js"
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

/** What a merchant does with its questions to people. */
export interface DataRequests {
  /**
   * Asks a person to approve fields, or answers what the same key was answered before. While the same question is
   * pending, its record is the answer under any key. The answer's body is the request's record; in TEST with
   * `consentUrl`. In LIVE the link goes to the person alone, through `ConsentNotifier`.
   */
  readonly request: (
    scope: MerchantScope,
    key: IdempotencyKey,
    form: DataRequestCommand.DataRequestForm
  ) => Effect.Effect<Answer, DataRequestFailed>

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
  const known = yield* IdentityFields
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
    command: DataRequestCommand.DataRequestCommand
  ) {
    const requestId = yield* Effect.provideService(nextDataRequestId, SecureRandom.SecureRandom, random)
    const context: DataRequestContext = {
      scope: merchant,
      idempotencyKey,
      fingerprints: yield* keyring.fingerprints(DataRequestCommand.canonicalText(command)),
      now: yield* DateTime.now,
      requestId,
      link: yield* nextLink(requestId),
      policy,
      limits
    }
    return context
  })

  /** The kept answer as it is sent: in TEST with the link, which is kept sealed. */
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
      Effect.catchCause((cause) => Effect.logWarning("Telling a person of a data request failed", cause)),
      Effect.forkIn(scope)
    )

  const request = Effect.fn("Consents.request")(function* (
    merchant: MerchantScope,
    key: IdempotencyKey,
    form: DataRequestCommand.DataRequestForm
  ) {
    yield* unknownConsumers.check(merchant)
    const parsed = DataRequestCommand.parse(form, known)
    if (Result.isFailure(parsed)) return yield* new ConsentRequestInvalid({ faults: parsed.failure })
    const command = parsed.success
    const context = yield* contextOf(merchant, key, command)
    const lookup = { ...command, scope: merchant, idempotencyKey: key, now: context.now }
    const decision = yield* store.request(lookup, (snapshot) => decideDataRequest(snapshot, command, context))
    switch (decision._tag) {
      case "Replay": {
        const { answer, requestId, sealedUrl } = decision.prior
        return { body: yield* bodyOf(merchant, requestId, answer, sealedUrl), replayed: true }
      }
      case "KeyReused":
        return yield* new IdempotencyKeyReused()
      case "Refuse":
        if (decision.reason._tag === "ConsumerNotFound") yield* unknownConsumers.count(merchant)
        return yield* decision.reason
      case "Repeat": {
        const { answer, request, sealedUrl } = decision.plan.open
        return { body: yield* bodyOf(merchant, request.id, answer, sealedUrl), replayed: false }
      }
      case "Execute": {
        const { answer, link, notifyAt, request } = decision.plan
        yield* ConsentMetrics.countMade(request)
        if (notifyAt !== undefined) yield* notifyInBackground(request.id)
        return { body: yield* bodyOf(merchant, request.id, answer, link?.sealedUrl), replayed: false }
      }
    }
  })

  const get = Effect.fn("Consents.get")(function* (target: ConsentTarget<DataRequestId>) {
    const found = yield* log.findRequest(target)
    if (Option.isNone(found)) return yield* new DataRequestNotFound({ dataRequestId: target.id })
    return asOf(found.value, yield* DateTime.now)
  })

  const list = Effect.fn("Consents.list")(function* (listing: ConsentListing, filter: PersonFilter, page: PageRequest) {
    const { data, nextCursor } = yield* log.listRequests(listing, filter, page)
    const now = yield* DateTime.now
    return { data: data.map((one) => asOf(one, now)), nextCursor }
  })

  return { request, get, list }
})
