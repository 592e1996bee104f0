import { ConsentStore, type DataRequestLookup, type PersonLookup } from "@surety/core/consent/ConsentStore"
import type { GrantDecision } from "@surety/core/consent/grant/decideGrant"
import type { IdentityReadSnapshot } from "@surety/core/consent/read/decideIdentityRead"
import { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { type Controller, controllerOf } from "@surety/core/consent/receipt/Receipt"
import type { ConsentPlan } from "@surety/core/consent/request/decideConsent"
import type { DataRequestSnapshot, PriorDataRequest } from "@surety/core/consent/request/decideDataRequest"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { MerchantId, UserId } from "@surety/core/Ids"
import { Effect, Layer, Option } from "effect"
import { askedBefore, keepBlock, liftBlock } from "./asking.ts"
import { Database, type Sql } from "./Database.ts"
import { append, type Committed, notifying } from "./outbox.ts"
import { appendReceipt } from "./receiptChain.ts"
import { findConsumerByServiceId } from "./SqliteConsumerStore.ts"
import { findMerchant } from "./SqliteMerchantStore.ts"
import {
  dataRequests,
  findByKey,
  findDataRequest,
  insertDataRequest,
  insertKey,
  type StoredDataRequest,
  saveDataRequest
} from "./StoredDataRequest.ts"
import { findGrant, grantsTo, insertGrant, saveGrant } from "./StoredGrant.ts"
import { storedRecord } from "./StoredRecord.ts"

export const reads = storedRecord(IdentityRead)

export const controllerIn = (sql: Sql, merchantId: MerchantId): Controller => {
  const merchant = findMerchant(sql, merchantId)
  if (merchant === undefined) throw new Error(`there is no ${merchantId}`)
  return controllerOf(merchant)
}

export const ownPurposeIn = (sql: Sql, merchantId: MerchantId): string | undefined =>
  findMerchant(sql, merchantId)?.settings.purpose

const userOf = (sql: Sql, { scope, serviceId }: PersonLookup): UserId | undefined =>
  findConsumerByServiceId(sql, scope.environment, serviceId)?.id

const priorOf = (sql: Sql, { idempotencyKey, scope }: DataRequestLookup): PriorDataRequest | undefined => {
  const found = findByKey(sql, scope, idempotencyKey)
  if (found?.stored.kept === undefined) return undefined
  const { fingerprint, stored } = found
  return {
    requestId: stored.request.id,
    fingerprint,
    answer: found.stored.kept.answer,
    sealedUrl: stored.link?.sealedUrl
  }
}

const requestSnapshot = (sql: Sql, lookup: DataRequestLookup): DataRequestSnapshot => {
  const consumer = findConsumerByServiceId(sql, lookup.scope.environment, lookup.serviceId)
  const grants = consumer === undefined ? [] : grantsTo(sql, lookup.scope, consumer.id)
  const merchant = {
    controller: controllerIn(sql, lookup.scope.merchantId),
    ownPurpose: ownPurposeIn(sql, lookup.scope.merchantId)
  }
  const asked =
    consumer === undefined ? { open: undefined, history: undefined } : askedBefore(sql, lookup, consumer, merchant)
  return {
    ...merchant,
    ...asked,
    prior: priorOf(sql, lookup),
    userId: consumer?.id,
    grants: grants.filter(({ status }) => status === "ACTIVE")
  }
}

const readSnapshot = (sql: Sql, lookup: PersonLookup): IdentityReadSnapshot => {
  const { environment, merchantId } = lookup.scope
  const userId = userOf(sql, lookup)
  if (userId === undefined) return { userId, grants: [], requests: [] }
  const requests = dataRequests.all(sql.all`
    select record from data_request
    where merchant_id = ${merchantId} and environment = ${environment} and user_id = ${userId} order by id`)
  return { userId, grants: grantsTo(sql, lookup.scope, userId), requests: requests.map(({ request }) => request) }
}

/** Moves a pending request on; answers how many deliveries that made. */
const commitConsent = (sql: Sql, stored: StoredDataRequest, plan: ConsentPlan): number => {
  const { block, events, grant, receipt, request } = plan
  if (request.id !== stored.request.id || stored.request.status !== "PENDING") {
    throw new Error(`${request.id} is not the pending request that was decided on`)
  }
  saveDataRequest(sql, { ...stored, request, notifyAt: undefined })
  if (grant !== undefined) insertGrant(sql, grant)
  if (block !== undefined) keepBlock(sql, block)
  if (receipt !== undefined) appendReceipt(sql, receipt)
  return events
    .map((event) =>
      append(sql, event, event.topic === "merchant.identity.consent_granted" && grant ? grant.id : request.id)
    )
    .reduce((sum, due) => sum + due, 0)
}

export const make = (database: Database["Service"], signal: DeliverySignal["Service"]): ConsentStore["Service"] => {
  const write = <A>(operation: string, body: (sql: Sql) => Committed<A>) =>
    notifying(signal)(database.write(operation, body))

  return ConsentStore.of({
    request: (lookup, decide) =>
      database.write("ConsentStore.request", (sql) => {
        const decision = decide(requestSnapshot(sql, lookup))
        if (decision._tag === "Repeat") {
          const { open, repeatedAt } = decision.plan
          insertKey(sql, open.request, decision.plan, repeatedAt)
        }
        if (decision._tag === "Execute") {
          const { answer, link, notifyAt, request } = decision.plan
          insertDataRequest(sql, { request, kept: { answer }, link, notifyAt })
          insertKey(sql, request, decision.plan, request.createdAt)
        }
        return decision
      }),

    decide: (target, decide) =>
      write("ConsentStore.decide", (sql) => {
        const stored = findDataRequest(sql, target)
        if (stored === undefined) return { answer: Option.none(), due: 0 }
        const { request } = stored
        const decision = decide({ request, controller: controllerIn(sql, request.merchantId) })
        const due = decision._tag === "Execute" ? commitConsent(sql, stored, decision.plan) : 0
        return { answer: Option.some(decision), due }
      }),

    grant: (lookup, decide) =>
      write("ConsentStore.grant", (sql): Committed<GrantDecision> => {
        const decision = decide({
          controller: controllerIn(sql, lookup.scope.merchantId),
          ownPurpose: ownPurposeIn(sql, lookup.scope.merchantId),
          userId: userOf(sql, lookup)
        })
        if (decision._tag !== "Execute") return { answer: decision, due: 0 }
        const { event, grant, receipt } = decision.plan
        insertGrant(sql, grant)
        appendReceipt(sql, receipt)
        return { answer: decision, due: append(sql, event, grant.id) }
      }),

    end: (target, decide) =>
      database.write("ConsentStore.end", (sql) => {
        const stored = findGrant(sql, target)
        if (stored === undefined) return Option.none()
        const decision = decide({ grant: stored, controller: controllerIn(sql, stored.merchantId) })
        if (decision._tag === "Execute") {
          const { grant, receipt } = decision.plan
          if (grant.id !== stored.id || stored.status !== "ACTIVE")
            throw new Error(`${grant.id} is not the active grant`)
          saveGrant(sql, grant)
          appendReceipt(sql, receipt)
        }
        return Option.some(decision)
      }),

    block: (block) => database.write("ConsentStore.block", (sql) => keepBlock(sql, block)),

    liftBlock: (scope, userId, at) =>
      database.write("ConsentStore.liftBlock", (sql) => liftBlock(sql, scope, userId, at)),

    read: (lookup, decide) =>
      database.write("ConsentStore.read", (sql) => {
        const decision = decide(readSnapshot(sql, lookup))
        if (decision._tag === "Execute") {
          sql.run`insert into identity_read (record) values (${reads.text(decision.plan.read)})`
        }
        return decision
      })
  })
}

export const layer: Layer.Layer<ConsentStore, never, Database | DeliverySignal> = Layer.effect(
  ConsentStore,
  Effect.gen(function* () {
    return make(yield* Database, yield* DeliverySignal)
  })
)
