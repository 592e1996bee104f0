import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { toUuid, VerificationId } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { isLinked } from "../consumer/isLinked.js"
import * as Database from "../sql/Database.js"
import { make as makeBegin } from "./beginVerification.js"
import { make as makeHolds } from "./leaseVerifications.js"
import { make as makeSave } from "./saveVerification.js"
import * as VerificationRow from "./VerificationRow.js"

const isVerificationId = Schema.is(VerificationId)

export const layer: Layer.Layer<KycStore, never, PgClient | DeliverySignal> = Layer.effect(
  KycStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { name, sql, verb } = database

    const find = Effect.fn("PgKycStore.find")(function* (scope: MerchantScope, reference: string) {
      const isMeant = isVerificationId(reference)
        ? sql`(v.id = ${toUuid(reference)} or v.provider_reference = ${reference})`
        : sql`v.provider_reference = ${reference}`
      const oursFirst = isVerificationId(reference) ? sql`v.id = ${toUuid(reference)} desc,` : sql``
      const rows = yield* sql`
        select ${sql.literal(VerificationRow.columns)} from ${name("verification")} v
        where ${isMeant} and v.merchant_id = ${toUuid(scope.merchantId)} and v.environment = ${scope.environment}
          and ${isLinked(database, scope, sql.literal("v.user_id"))}
        order by ${oursFirst} v.id desc limit 1`
      return Arr.head(yield* VerificationRow.decode(rows))
    }, verb("KycStore.find"))

    return KycStore.of({
      begin: makeBegin(database, signal),
      settle: makeSave(database, signal),
      find,
      ...makeHolds(database)
    })
  })
)
