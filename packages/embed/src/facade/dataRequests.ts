import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { DenialReason } from "@surety/core/consent/request/DataRequest"
import { commandOf, DataRequestInput } from "@surety/core/consent/request/DataRequestCommand"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { Consumers } from "@surety/core/consumer/Consumers"
import { Environment } from "@surety/core/Environment"
import { DataRequestId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { toPage } from "@surety/core/Page"
import { Effect, Redacted, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainAskingBlock, plainDataRequest, plainGrant, plainNewDataRequest, plainPending } from "../record/Consent.js"
import { plainConsumer } from "../record/Merchants.js"
import { acting, host } from "./input/actor.js"
import { HostFieldNames } from "./input/fieldNames.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import {
  listedUserId,
  listingFields,
  personFields,
  requireMerchant,
  scopeFields,
  serviceIdOf
} from "./input/scopeAndPerson.js"

const anybodys = (id: DataRequestId) => ({ id, scope: undefined })

/** Merchants' requests for people's data, and people's decisions. */
export const dataRequests = (run: Run) => ({
  /**
   * Asks a person to approve fields. Approves the request immediately if active grants for the purpose cover all
   * fields. A repeated `idempotencyKey` with the same input returns its request's current state, with `replayed: true`.
   * Keys are kept for 30 days. While a request for the same fields, purpose and duration is pending, a new key also
   * returns that request. `requestedFields` may contain `service_id`, `display_name`, `country`, `email`,
   * `phone_verified`, `kyc_status`, and the fields of the host's directory. In TEST the result has a `consentUrl` if a
   * person was asked. In LIVE `consentNotifier` sends the link to the person. Without a `consentNotifier`, `pending`
   * returns the link for the host to send. Fails with `MerchantNotActive` if the merchant is REJECTED or CLOSED, except
   * for a repeated key.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      ...DataRequestInput.fields,
      ...personFields,
      requestedFields: HostFieldNames
    }),
    ({ environment, idempotencyKey, merchantId, serviceId, userId, ...input }) =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const scope = { merchantId, environment }
        yield* requireMerchant(merchantId)
        const person = yield* serviceIdOf(environment, { serviceId, userId })
        const answered = yield* requests.create(scope, idempotencyKey, commandOf({ ...input, serviceId: person }))
        return { ...plainNewDataRequest(answered), replayed: answered.replayed }
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, dataRequestId: DataRequestId }), ({ dataRequestId, ...scope }) =>
    Effect.flatMap(DataRequests, (requests) => Effect.map(requests.get({ id: dataRequestId, scope }), plainDataRequest))
  ),

  /** Newest first, for one merchant or all, optionally for one person. */
  list: call(
    run,
    Schema.Struct({ ...listingFields, ...personFields, ...pagingFields }),
    ({ environment, merchantId, serviceId, userId, ...page }) =>
      Effect.gen(function* () {
        const requests = yield* DataRequests
        const person = yield* listedUserId(environment, { serviceId, userId })
        const key = ["dataRequests.list", merchantId ?? "", environment] as const
        const found = yield* readHostPage(key, page, (request) =>
          requests.list({ merchantId, environment }, { userId: person }, request)
        )
        return toPage(found, plainDataRequest)
      })
  ),

  /** Requests denied as `NOT_ME` (see `deny`), newest first. Covers all merchants. */
  disowned: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(DataRequests, (requests) =>
      Effect.map(
        readHostPage(["operatorConsent.listDisowned", environment], page, (request) =>
          requests.listDisowned(environment, request)
        ),
        (found) => toPage(found, plainDataRequest)
      )
    )
  ),

  /**
   * Pending requests of all merchants, newest first. Without a `consentNotifier`, a request has its `consentUrl` unless
   * the person has blocked the merchant, or the merchant is REJECTED or CLOSED. Give the link to that person only.
   */
  pending: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.gen(function* () {
      const requests = yield* DataRequests
      const { leavesToOperator = false } = yield* ConsentNotifier
      const found = yield* readHostPage(["operatorConsent.listPending", environment], page, (request) =>
        requests.listPending(environment, request)
      )
      return toPage(found, plainPending(leavesToOperator))
    })
  ),

  /**
   * Returns the data request behind a consent link, to show on the host's own page. `token` is the token in the link.
   * Fails with `ConsentLinkUnknown` if the link is unknown. For a pending request, the call also fails if the person
   * disowned the merchant (`NOT_ME`), or the merchant is REJECTED or CLOSED.
   */
  byToken: call(run, Schema.Struct({ token: Schema.String }), ({ token }) =>
    Effect.flatMap(DataRequests, (requests) =>
      Effect.map(requests.open(Redacted.make(token)), (question) =>
        plainPending(false)({ ...question, url: undefined })
      )
    )
  ),

  /**
   * Approves `fields` or, by default, all requested fields. The grant lasts for the requested period, the policy's
   * period if none was requested, or a shorter `duration`. Returns the request with the `grant` that lets the merchant
   * read. Fails with `DataRequestDecided` unless the request is pending.
   */
  approve: call(
    run,
    Schema.Struct({
      dataRequestId: DataRequestId,
      fields: Schema.optionalKey(HostFieldNames),
      duration: Schema.optionalKey(GrantDuration),
      ...acting
    }),
    ({ actor = host, dataRequestId, ...approval }) =>
      Effect.flatMap(DataRequests, (requests) =>
        Effect.map(requests.approve(anybodys(dataRequestId), { ...approval, actor }), ({ grant, request }) => ({
          ...plainDataRequest(request),
          grant: plainGrant(grant)
        }))
      )
  ),

  /**
   * Denies a request. Default reason: `DECLINED`. `NOT_ME` means that the request is not for the person, or that the
   * person does not know the merchant. Fails with `DataRequestDecided` unless the request is pending.
   */
  deny: call(
    run,
    Schema.Struct({ dataRequestId: DataRequestId, reason: Schema.optionalKey(DenialReason), ...acting }),
    ({ actor = host, dataRequestId, reason = "DECLINED" }) =>
      Effect.flatMap(DataRequests, (requests) =>
        Effect.map(requests.deny(anybodys(dataRequestId), { actor, reason }), plainDataRequest)
      )
  ),

  /**
   * Stops the merchant of this request from asking the person again, until the block is lifted (`liftAskingBlock`). In
   * TEST, new requests are stopped only if the person has `askLimits`. Call it on the person's behalf. Returns the
   * request.
   */
  stopAsking: call(run, Schema.Struct({ dataRequestId: DataRequestId }), ({ dataRequestId }) =>
    Effect.gen(function* () {
      const requests = yield* DataRequests
      const blocks = yield* AskingBlocks
      const request = yield* requests.get(anybodys(dataRequestId))
      yield* blocks.create(request)
      return plainDataRequest(request)
    })
  ),

  /**
   * The active blocks that stop the merchant from asking a person, newest first. A block comes from a denial with
   * `NOT_ME`, or from a person's wish not to be asked again, as with `stopAsking`.
   */
  askingBlocks: call(run, Schema.Struct({ ...scopeFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(AskingBlocks, (blocks) =>
      Effect.map(
        readHostPage(["dataRequests.askingBlocks", merchantId, environment], page, (request) =>
          blocks.list({ merchantId, environment }, request)
        ),
        (found) => toPage(found, plainAskingBlock)
      )
    )
  ),

  /** Lets a merchant ask a person again. First make sure that the person wants this. Returns the consumer. */
  liftAskingBlock: call(
    run,
    Schema.Struct({ ...scopeFields, ...personFields }),
    ({ environment, merchantId, ...person }) =>
      Effect.gen(function* () {
        const blocks = yield* AskingBlocks
        const serviceId = yield* serviceIdOf(environment, person)
        yield* blocks.lift({ merchantId, environment }, serviceId)
        return plainConsumer(yield* (yield* Consumers).get(environment, serviceId))
      })
  ),

  /** Cancels a request on the merchant's behalf. Fails with `DataRequestDecided` unless the request is pending. */
  cancel: call(run, Schema.Struct({ ...scopeFields, dataRequestId: DataRequestId }), ({ dataRequestId, ...scope }) =>
    Effect.flatMap(DataRequests, (requests) => Effect.map(requests.cancel(scope, dataRequestId), plainDataRequest))
  )
})
