import type { PgClient } from "@effect/sql-pg/PgClient"
import { MerchantId } from "@surety/core/Ids"
import type { StoreError } from "@surety/core/StoreError"
import { Array as Arr, Duration, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { CellName } from "../Cells.js"
import type { CellDirectory } from "./CellDirectory.js"

const decodeMoves = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      merchantId: MerchantId,
      from: CellName,
      to: CellName,
      isSwitched: Schema.Boolean,
      attempt: Schema.String
    })
  )
)

const decodeOpen = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ count: Schema.Int, oldestMillis: Schema.Finite })])
)

const moveColumns = `merchant_id as "merchantId", coalesce(moved_from, cell) as "from", coalesce(moving_to, cell) as "to",
  moved_from is not null as "isSwitched", move_attempt::text as attempt`

/**
 * Builds the directory's move operations over the table `places`. `failing` maps the database failures of the operation
 * `verb` to `StoreError`.
 */
export const moveVerbs = (
  sql: PgClient,
  places: Fragment,
  failing: (
    verb: string
  ) => <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError, R>) => Effect.Effect<A, StoreError, R>
): Pick<CellDirectory["Service"], "beginMove" | "switchMove" | "endMove" | "openMoves" | "moves"> => ({
  beginMove: (merchantId, to) =>
    failing("beginMove")(
      Effect.map(
        Effect.flatMap(
          sql`update ${places} set move_attempt = gen_random_uuid(),
                    -- Earlier releases leave move_began_at when a move ends, so it counts only while a move is open.
                    move_began_at = coalesce(
                      case when move_attempt is not null then move_began_at end, clock_timestamp()
                    ),
                    moving_to = case when moved_from is null then coalesce(moving_to, ${to}) end
                  where merchant_id = ${merchantId} and confirmed_at is not null
                    and case when move_attempt is null then cell <> ${to} else coalesce(moving_to, cell) = ${to} end
                  returning ${sql.literal(moveColumns)}`,
          decodeMoves
        ),
        Arr.head
      )
    ),
  switchMove: ({ attempt, from, merchantId, to }) =>
    failing("switchMove")(
      Effect.map(
        sql`update ${places} set cell = ${to}, moved_from = ${from}, moving_to = null
                where merchant_id = ${merchantId} and move_attempt = ${attempt}::uuid
                  and (moving_to = ${to} or moved_from = ${from} and cell = ${to})
                returning 1`,
        (rows) => rows.length > 0
      )
    ),
  endMove: ({ attempt, merchantId }) =>
    failing("endMove")(
      Effect.map(
        sql`update ${places} set move_attempt = null, moved_from = null, moving_to = null, move_began_at = null
                where merchant_id = ${merchantId} and move_attempt = ${attempt}::uuid returning 1`,
        (rows) => rows.length > 0
      )
    ),
  openMoves: failing("openMoves")(
    Effect.map(
      Effect.flatMap(
        sql`select count(*)::integer as count, coalesce(
            extract(epoch from clock_timestamp() - min(move_began_at)) * 1000, 0
          )::float8 as "oldestMillis" from ${places} where move_attempt is not null`,
        decodeOpen
      ),
      ([{ count, oldestMillis }]) => ({ count, oldestAge: Duration.millis(Math.max(0, oldestMillis)) })
    )
  ),
  moves: failing("moves")(
    Effect.flatMap(
      sql`select ${sql.literal(moveColumns)} from ${places} where move_attempt is not null order by merchant_id`,
      decodeMoves
    )
  )
})
