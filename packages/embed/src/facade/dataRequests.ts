import { Consents } from "@surety/core/consent/Consents"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { DenialReason } from "@surety/core/consent/request/DataRequest"
import { Environment } from "@surety/core/Environment"
import { DataRequestId, UserId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { DataRequest, Purpose } from "@surety/http/consent/DataRequestsApi"
import { OperatorGrantRecord } from "@surety/http/consent/GrantRecord"
import { IdentityFieldNames } from "@surety/http/field/IdentityFieldNames"
import { toPage } from "@surety/http/field/Paging"
import { ServiceId } from "@surety/http/field/ServiceId"
import {
  AskingBlockRecord,
  askingBlockRecord,
  OperatorDataRequestRecord,
  PendingDataRequestRecord,
  pendingRecord
} from "@surety/http/operator/ConsentRecords"
import { Effect, Redacted, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { acting, host } from "./actor.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const asked = plain(DataRequest)
const fromText = Schema.decodeSync(Schema.fromJsonString(DataRequest))
const record = plain(OperatorDataRequestRecord)
const pending = plain(PendingDataRequestRecord)
const blockRecord = plain(AskingBlockRecord)
const grantRecord = plain(OperatorGrantRecord)

const anybodys = (id: DataRequestId) => ({ id, scope: undefined })

/** Merchants' questions to people, and people's answers. */
export const dataRequests = (run: Run) => ({
  /**
   * Asks a person to approve fields, or answers what the same `idempotencyKey` was answered before. In TEST with
   * `consentUrl`; in LIVE the link goes to the person alone, through `consentNotifier`.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      serviceId: ServiceId,
      requestedFields: IdentityFieldNames,
      purpose: Schema.optionalKey(Purpose)
    }),
    ({ environment, idempotencyKey, merchantId, ...form }) =>
      Effect.gen(function* () {
        const consents = yield* Consents
        const { body, replayed } = yield* consents.request({ merchantId, environment }, idempotencyKey, form)
        return { dataRequest: asked(fromText(body)), replayed }
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, dataRequestId: DataRequestId }), ({ dataRequestId, ...scope }) =>
    Effect.flatMap(Consents, (consents) => Effect.map(consents.get({ id: dataRequestId, scope }), record))
  ),

  /** Newest first; of one person when `userId` is given. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, userId: Schema.optionalKey(UserId), ...pagingFields }),
    ({ environment, merchantId, userId, ...page }) =>
      Effect.flatMap(Consents, (consents) =>
        Effect.map(
          readPage(["dataRequests.list", merchantId, environment], page, (request) =>
            consents.list({ merchantId, environment }, { userId }, request)
          ),
          (found) => toPage(found, record)
        )
      )
  ),

  /**
   * What waits for a decision, of all merchants, newest first. With `consentUrl` where there is no `consentNotifier`:
   * bring it to its person and to nobody else.
   */
  pending: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.gen(function* () {
      const consents = yield* Consents
      const { leavesToOperator = false } = yield* ConsentNotifier
      const found = yield* readPage(["operatorConsent.listPending", environment], page, (request) =>
        consents.pending(environment, request)
      )
      return toPage(found, (question) => pending(pendingRecord(leavesToOperator)(question)))
    })
  ),

  /** What the holder of a consent link is asked: for a page of the host's own. `token` is the link's last part. */
  byToken: call(run, Schema.Struct({ token: Schema.String }), ({ token }) =>
    Effect.flatMap(Consents, (consents) =>
      Effect.map(consents.byToken(Redacted.make(token)), (question) =>
        pending(pendingRecord(false)({ ...question, url: undefined }))
      )
    )
  ),

  /** Approves `fields`, or all that were asked for. Makes the grant by which the merchant reads. */
  approve: call(
    run,
    Schema.Struct({ dataRequestId: DataRequestId, fields: Schema.optionalKey(IdentityFieldNames), ...acting }),
    ({ actor = host, dataRequestId, ...approval }) =>
      Effect.flatMap(Consents, (consents) =>
        Effect.map(consents.approve(anybodys(dataRequestId), { ...approval, actor }), ({ grant, request }) => ({
          dataRequest: record(request),
          grant: grantRecord(grant)
        }))
      )
  ),

  /** `NOT_ME` says that the person does not know the merchant. */
  deny: call(
    run,
    Schema.Struct({ dataRequestId: DataRequestId, reason: Schema.optionalKey(DenialReason), ...acting }),
    ({ actor = host, dataRequestId, reason = "DECLINED" }) =>
      Effect.flatMap(Consents, (consents) =>
        Effect.map(consents.deny(anybodys(dataRequestId), { actor, reason }), record)
      )
  ),

  /** In the person's name: the merchant of this request may not ask them again, until `liftAskingBlock`. */
  stopAsking: call(run, Schema.Struct({ dataRequestId: DataRequestId }), ({ dataRequestId }) =>
    Effect.flatMap(Consents, (consents) => consents.stopAsking(anybodys(dataRequestId)))
  ),

  /** The people whom a merchant may not ask, newest first: they said `NOT_ME`, or that it is to stop. */
  askingBlocks: call(run, Schema.Struct({ ...scopeFields, ...pagingFields }), ({ environment, merchantId, ...page }) =>
    Effect.flatMap(Consents, (consents) =>
      Effect.map(
        readPage(["dataRequests.askingBlocks", merchantId, environment], page, (request) =>
          consents.askingBlocks({ merchantId, environment }, request)
        ),
        (found) => toPage(found, (block) => blockRecord(askingBlockRecord(block)))
      )
    )
  ),

  /** Lets a merchant ask a person again. Make sure first that the person wants to be asked. */
  liftAskingBlock: call(run, Schema.Struct({ ...scopeFields, serviceId: ServiceId }), ({ serviceId, ...scope }) =>
    Effect.flatMap(Consents, (consents) => consents.liftAskingBlock(scope, serviceId))
  ),

  /** In the merchant's name: it no longer asks. */
  cancel: call(run, Schema.Struct({ ...scopeFields, dataRequestId: DataRequestId }), ({ dataRequestId, ...scope }) =>
    Effect.flatMap(Consents, (consents) => Effect.map(consents.cancel(scope, dataRequestId), record))
  )
})
