import { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { MerchantId, UserId } from "@surety/core/Ids"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { SchemaName } from "@surety/postgres/PgSettings"
import { Array as Arr, Duration, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CellName } from "../Cells.js"
import { CellDirectory, type MerchantClaim, type Placement } from "./CellDirectory.js"
import { directorySchema } from "./DirectoryTables.js"
import { moveVerbs } from "./pgMoves.js"
import { makeTurns } from "./pgTurns.js"

const rowsOf = <A, E>(row: Schema.Codec<A, E>) => Schema.decodeUnknownEffect(Schema.Array(row))

const decodeCells = rowsOf(Schema.Struct({ cell: CellName }))

const ClaimRow = Schema.Struct({
  merchantId: MerchantId,
  businessCode: Schema.String,
  externalId: Schema.NullOr(Schema.String),
  cell: CellName,
  isConfirmed: Schema.Boolean
})
const decodeClaims = rowsOf(ClaimRow)

const decodePlaces = rowsOf(Schema.Struct({ cell: CellName, isConfirmed: Schema.Boolean, isMoving: Schema.Boolean }))

const decodeMerchants = rowsOf(Schema.Struct({ merchantId: MerchantId }))

const decodeNamed = rowsOf(Schema.Struct({ merchantId: Schema.NullOr(MerchantId), id: Schema.String }))

const decodePseudonyms = rowsOf(Schema.Struct({ pseudonym: UserId }))

const decodeChanges = rowsOf(
  Schema.Struct({ id: Schema.String, environment: Environment, userId: UserId, source: CellName })
)

/** Maximum number of attempts to place a claim. An attempt is repeated only if the conflicting claim is gone. */
const placeTries = 5

const operationTimeout = Duration.seconds(5)

const unavailable = (operation: string, cause: unknown): StoreError =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause }) })

/** Maps database failures to `StoreError` without personal data. Fails after `operationTimeout`. */
const failing =
  (verb: string) =>
  <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError | StoreError, R>): Effect.Effect<A, StoreError, R> => {
    const operation = `CellDirectory.${verb}`
    return self.pipe(
      Effect.catchTags({
        SqlError: ({ reason }) =>
          Effect.fail(unavailable(operation, new Error(`The directory failed: ${reason._tag}`))),
        SchemaError: () =>
          Effect.fail(
            new StoreError({
              operation,
              reason: new StoreCorrupt({ cause: new Error("unexpected row of the directory") })
            })
          )
      }),
      Effect.timeoutOrElse({
        duration: operationTimeout,
        orElse: () => Effect.fail(unavailable(operation, new Error("The directory did not respond in time")))
      })
    )
  }

/** `CellDirectory` on PostgreSQL, over the tables of `DirectoryTables.migrate`. Dies if the schema name is invalid. */
export const layer = (schema: string = directorySchema): Layer.Layer<CellDirectory, never, PgClient> =>
  Layer.effect(
    CellDirectory,
    Effect.gen(function* () {
      const sql = (yield* PgClient).withoutTransforms()
      const table = (name: string) => sql.literal(`"${SchemaName.make(schema)}".${name}`)
      const places = table("merchant_place")
      const keys = table("key_place")
      const copies = table("person_copy")
      const changes = table("person_change")
      const erasures = table("person_erasure")
      const named = table("named_record")

      const claimIn = Effect.fnUntraced(function* ({ businessCode, cells, externalId, merchantId }: MerchantClaim) {
        const rows = yield* sql`
          insert into ${places} (merchant_id, business_code, external_id, cell)
          select ${merchantId}, ${businessCode}, ${externalId ?? null}::text, c.cell
          from json_array_elements_text(${JSON.stringify(cells)}::json) with ordinality c (cell, place)
          order by (select count(*) from ${places} p where p.cell = c.cell), c.place limit 1
          on conflict do nothing returning cell`
        return Arr.head(yield* decodeCells(rows))
      })

      const place = Effect.fnUntraced(function* (claim: MerchantClaim) {
        const { businessCode, externalId, merchantId } = claim
        for (let attempt = 0; attempt < placeTries; attempt += 1) {
          const claimed = yield* claimIn(claim)
          if (Option.isSome(claimed)) return { _tag: "Placed", cell: claimed.value.cell } satisfies Placement
          const rows = yield* decodeClaims(
            yield* sql`
            select merchant_id as "merchantId", business_code as "businessCode", external_id as "externalId", cell,
              confirmed_at is not null as "isConfirmed"
            from ${places}
            where merchant_id = ${merchantId} or business_code = ${businessCode} or external_id = ${externalId ?? null}::text`
          )
          const placement = placementIn(claim, rows)
          if (placement !== undefined) return placement
        }
        return yield* Effect.fail(
          unavailable("CellDirectory.place", new Error("Conflicting claims kept changing; retry the call"))
        )
      })

      const turns = yield* makeTurns(sql, schema, failing("turns"))

      return CellDirectory.of({
        place: (claim) => failing("place")(place(claim)),
        confirm: (merchantId) =>
          failing("confirm")(
            Effect.map(
              sql`update ${places} set confirmed_at = coalesce(confirmed_at, clock_timestamp())
                where merchant_id = ${merchantId} returning 1`,
              (rows) => rows.length > 0
            )
          ),
        release: (merchantId, olderThan) =>
          failing("release")(
            Effect.map(
              sql`delete from ${places} where merchant_id = ${merchantId} and confirmed_at is null
                and claimed_at <= clock_timestamp() - ${Duration.toMillis(olderThan)}::float8 * interval '1 millisecond'
                returning 1`,
              (rows) => rows.length > 0
            )
          ),
        find: (merchantId) =>
          failing("find")(
            Effect.map(
              Effect.flatMap(
                sql`select cell, confirmed_at is not null as "isConfirmed", moving_to is not null as "isMoving"
                  from ${places} where merchant_id = ${merchantId}`,
                decodePlaces
              ),
              Arr.head
            )
          ),
        findByExternalId: (externalId) =>
          failing("findByExternalId")(
            Effect.map(
              Effect.flatMap(
                sql`select merchant_id as "merchantId" from ${places} where external_id = ${externalId}`,
                decodeMerchants
              ),
              (rows) => Option.map(Arr.head(rows), ({ merchantId }) => merchantId)
            )
          ),
        claimKey: (hash, merchantId) =>
          failing("claimKey")(
            Effect.gen(function* () {
              yield* sql`insert into ${keys} (hash, merchant_id) values (${hash}, ${merchantId}) on conflict do nothing`
              const rows = yield* sql`select 1 from ${keys} where hash = ${hash} and merchant_id = ${merchantId}`
              return rows.length > 0
            })
          ),
        findByKey: (hash) =>
          failing("findByKey")(
            Effect.map(
              Effect.flatMap(
                sql`select merchant_id as "merchantId" from ${keys} where hash = ${hash}`,
                decodeMerchants
              ),
              (rows) => Option.map(Arr.head(rows), ({ merchantId }) => merchantId)
            )
          ),
        addCopy: ({ environment, userId }, cell) =>
          failing("addCopy")(
            Effect.asVoid(
              sql`insert into ${copies} (user_id, environment, cell) values (${userId}, ${environment}, ${cell})
                on conflict do nothing`
            )
          ),
        copies: ({ environment, userId }) =>
          failing("copies")(
            Effect.map(
              Effect.flatMap(
                sql`select cell from ${copies} where user_id = ${userId} and environment = ${environment} order by cell`,
                decodeCells
              ),
              Arr.map(({ cell }) => cell)
            )
          ),
        inTurn: (turn) => (effect) =>
          Effect.scoped(
            Effect.andThen(
              Effect.flatMap(turns, ({ take }) => take(turn)),
              effect
            )
          ),
        turns,
        findNamed: (name) =>
          failing("findNamed")(
            Effect.map(
              Effect.flatMap(
                sql`select merchant_id as "merchantId", id from ${named} where name = ${name}`,
                decodeNamed
              ),
              (rows) =>
                Option.map(Arr.head(rows), ({ id, merchantId }) => ({ merchantId: merchantId ?? undefined, id }))
            )
          ),
        name: (name, { id, merchantId }) =>
          failing("name")(
            Effect.asVoid(
              sql`insert into ${named} (name, merchant_id, id) values (${name}, ${merchantId ?? null}::text, ${id})
                on conflict (name) do update set merchant_id = excluded.merchant_id, id = excluded.id`
            )
          ),
        pseudonym: ({ environment, serviceId }, proposed) =>
          failing("pseudonym")(
            Effect.gen(function* () {
              yield* sql`insert into ${erasures} (service_id, environment, pseudonym)
                values (${serviceId}, ${environment}, ${proposed}) on conflict do nothing`
              const [row] = yield* decodePseudonyms(
                yield* sql`select pseudonym from ${erasures} where service_id = ${serviceId} and environment = ${environment}`
              )
              return row === undefined
                ? yield* Effect.die(new Error("the directory stored no pseudonym"))
                : row.pseudonym
            })
          ),
        beginChange: ({ environment, userId }, source) =>
          failing("beginChange")(
            Effect.gen(function* () {
              const rows = yield* decodeChanges(
                yield* sql`
                insert into ${changes} (user_id, environment, source) values (${userId}, ${environment}, ${source})
                returning id::text, environment, user_id as "userId", source`
              )
              const [change] = rows
              return change === undefined ? yield* Effect.die(new Error("the directory stored no change")) : change
            })
          ),
        endChange: ({ id }) => failing("endChange")(Effect.asVoid(sql`delete from ${changes} where id = ${id}::uuid`)),
        changesOf: ({ environment, userId }) =>
          failing("changesOf")(
            Effect.flatMap(
              sql`select id::text, environment, user_id as "userId", source from ${changes}
                where user_id = ${userId} and environment = ${environment} order by began_at, id`,
              decodeChanges
            )
          ),
        openChanges: (olderThan, limit) =>
          failing("openChanges")(
            Effect.flatMap(
              sql`select id::text, environment, user_id as "userId", source from ${changes}
                where began_at <= clock_timestamp() - ${Duration.toMillis(olderThan)}::float8 * interval '1 millisecond'
                order by began_at, id limit ${limit}`,
              decodeChanges
            )
          ),
        ...moveVerbs(sql, places, failing)
      })
    })
  )

/** Derives the placement from the rows found. Returns `undefined` if the conflicting claim is gone. */
const placementIn = (
  { businessCode, externalId, merchantId }: MerchantClaim,
  rows: ReadonlyArray<typeof ClaimRow.Type>
): Placement | undefined => {
  const own = rows.find((row) => row.merchantId === merchantId)
  if (own !== undefined) {
    const isSame = own.businessCode === businessCode && own.externalId === (externalId ?? null)
    return isSame ? { _tag: "Placed", cell: own.cell } : { _tag: "Taken" }
  }
  if (rows.some(({ isConfirmed }) => isConfirmed)) return { _tag: "Taken" }
  const [holder] = rows
  return holder === undefined ? undefined : { _tag: "Held", by: holder.merchantId, cell: holder.cell }
}
