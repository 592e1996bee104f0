import type { PgClient } from "@effect/sql-pg/PgClient"
import { toUuid } from "@surety/core/Ids"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { PageRequest } from "@surety/core/Page"
import { DateTime, Effect, Layer, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { isLinked } from "../consumer/isLinked.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import * as VerificationRow from "./VerificationRow.js"

const cursors = cursorCodec(Schema.Tuple([moment, Column.verificationId]))

export const layer: Layer.Layer<VerificationLog, never, PgClient> = Layer.effect(
  VerificationLog,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, sql, verb } = database

    const listed = (isShown: Fragment, page: PageRequest) =>
      pageOfRows(
        page,
        cursors,
        ({ createdAt, id }: Verification) => [DateTime.toEpochMillis(createdAt), id] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`
              select ${sql.literal(VerificationRow.columns)} from ${name("verification")} v
              where ${isShown}
              ${after === undefined ? sql`` : sql`and (v.created_at, v.id) < (${new Date(after[0])}, ${toUuid(after[1])})`}
              order by v.created_at desc, v.id desc limit ${limit}`,
            VerificationRow.decode
          )
      )

    const list: VerificationLog["Service"]["list"] = Effect.fn("PgVerificationLog.list")(
      (scope, page) =>
        listed(
          sql`v.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("v", scope.environment)}
            and ${isLinked(database, scope, sql.literal("v.user_id"))}`,
          page
        ),
      verb("VerificationLog.list")
    )

    const listAll: VerificationLog["Service"]["listAll"] = Effect.fn("PgVerificationLog.listAll")(
      ({ environment, merchantId }, page) =>
        listed(
          merchantId === undefined
            ? environmentIs("v", environment)
            : sql`v.merchant_id = ${toUuid(merchantId)} and ${environmentIs("v", environment)}`,
          page
        ),
      verb("VerificationLog.listAll")
    )

    return VerificationLog.of({ list, listAll })
  })
)
