import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { Effect, Layer } from "effect"
import { Database } from "./Database.ts"
import { pageOf } from "./pages.ts"
import { verifications } from "./StoredVerification.ts"

export const make = ({ read }: Database["Service"]): VerificationLog["Service"] =>
  VerificationLog.of({
    list: ({ environment, merchantId }, page) =>
      read("VerificationLog.list", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select v.record, v.created_at as at, v.id from verification v
            where v.merchant_id = ${merchantId} and v.environment = ${environment}
              and (v.created_at, v.id) < (${at}, ${id})
              and exists (
                select 1 from may_name n
                where n.merchant_id = v.merchant_id and n.environment = v.environment and n.user_id = v.user_id
              )
            order by v.created_at desc, v.id desc limit ${limit}`,
          ({ record }) => verifications.parse(record).verification
        )
      ),

    listAll: ({ environment, merchantId = null }, page) =>
      read("VerificationLog.listAll", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, created_at as at, id from verification
            where environment = ${environment} and merchant_id = coalesce(${merchantId}, merchant_id)
              and (created_at, id) < (${at}, ${id})
            order by created_at desc, id desc limit ${limit}`,
          ({ record }) => verifications.parse(record).verification
        )
      )
  })

export const layer: Layer.Layer<VerificationLog, never, Database> = Layer.effect(
  VerificationLog,
  Effect.map(Database, make)
)
