import type { Consumer } from "@surety/core/consumer/Consumer"
import { firstFence, KycStore, type VerificationLookup } from "@surety/core/kyc/KycStore"
import type {
  NamedPerson,
  PriorVerification,
  VerificationDecision,
  VerificationPlan,
  VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import { isOpen, type Verification } from "@surety/core/kyc/verification/Verification"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Effect, Layer, Option } from "effect"
import { Database, type Sql } from "./Database.ts"
import { holdVerifications } from "./holdVerifications.ts"
import { appendReceipt } from "./receiptChain.ts"
import { controllerIn, ownPurposeIn } from "./SqliteConsentStore.ts"
import { findConsumer, findConsumerByServiceId, isLinked } from "./SqliteConsumerStore.ts"
import { insertVerification, saveVerification, verifications } from "./StoredVerification.ts"

const priorOf = (sql: Sql, { idempotencyKey, scope }: VerificationLookup): PriorVerification | undefined => {
  const stored = verifications.of(sql.get`
    select record from verification
    where merchant_id = ${scope.merchantId} and environment = ${scope.environment}
      and idempotency_key = ${idempotencyKey}`)
  return (
    stored?.kept && {
      verificationId: stored.verification.id,
      fingerprint: stored.kept.fingerprint,
      answer: stored.kept.answer
    }
  )
}

const personOf = (sql: Sql, scope: MerchantScope, consumer: Consumer | undefined): NamedPerson | undefined =>
  consumer && {
    userId: consumer.id,
    serviceId: consumer.serviceId,
    isLinked: isLinked(sql, scope, consumer.id)
  }

const load = (sql: Sql, lookup: VerificationLookup): VerificationSnapshot => {
  const { scope, serviceId, userId } = lookup
  const byUserId = userId === undefined ? undefined : findConsumer(sql, scope.environment, userId)
  const byServiceId = serviceId === undefined ? undefined : findConsumerByServiceId(sql, scope.environment, serviceId)
  return {
    prior: priorOf(sql, lookup),
    controller: controllerIn(sql, scope.merchantId),
    ownPurpose: ownPurposeIn(sql, scope.merchantId),
    byUserId: personOf(sql, scope, byUserId),
    byServiceId: personOf(sql, scope, byServiceId)
  }
}

const commit = (sql: Sql, plan: VerificationPlan): void => {
  const { answer, fingerprint, heldUntil, idempotencyKey, receipt, verification } = plan
  insertVerification(sql, {
    verification,
    kept: { idempotencyKey, fingerprint, answer },
    fence: firstFence,
    looks: 0,
    dueAt: isOpen(verification.status) ? verification.createdAt : undefined,
    heldUntil
  })
  appendReceipt(sql, receipt)
}

/** By our reference, else by the provider's, of which the newest; only while the merchant may name the person. */
const found = (sql: Sql, scope: MerchantScope, reference: string): Verification | undefined =>
  verifications
    .all(sql.all`
      select record from verification
      where (id = ${reference} or provider_reference = ${reference})
        and merchant_id = ${scope.merchantId} and environment = ${scope.environment}
      order by id = ${reference} desc, id desc`)
    .map(({ verification }) => verification)
    .find(({ userId }) => isLinked(sql, scope, userId))

export const make = (database: Database["Service"]): KycStore["Service"] =>
  KycStore.of({
    ...holdVerifications(database),

    begin: (lookup, decide) =>
      database.write("KycStore.begin", (sql): VerificationDecision => {
        const decision = decide(load(sql, lookup))
        if (decision._tag === "Execute") commit(sql, decision.plan)
        return decision
      }),

    find: (scope, reference) =>
      database.read("KycStore.find", (sql) => Option.fromUndefinedOr(found(sql, scope, reference))),

    forgetAnswers: (madeBefore, limit) =>
      database.write("KycStore.forgetAnswers", (sql) => {
        const old = verifications.all(sql.all`
          select record from verification
          where idempotency_key is not null and due_at is null and created_at < ${DateTime.formatIso(madeBefore)}
          order by created_at, id limit ${limit}`)
        for (const stored of old) saveVerification(sql, { ...stored, kept: undefined })
        return old.length
      })
  })

export const layer: Layer.Layer<KycStore, never, Database> = Layer.effect(KycStore, Effect.map(Database, make))
