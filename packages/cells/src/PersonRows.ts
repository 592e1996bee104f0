import { PgClient } from "@effect/sql-pg/PgClient"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { PgSettings } from "@surety/postgres/PgSettings"
import { Array as Arr, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { PersonKey } from "./directory/CellDirectory.js"

/** A person's row in one cell, to copy to another. `row` is the full row as JSON, redacted as personal data. */
export interface PersonRow {
  readonly userId: UserId
  readonly row: Redacted.Redacted<string>
}

/** People's rows in one cell: the originals in the home cell, copies in any other cell. */
export class PersonRows extends Context.Service<
  PersonRows,
  {
    readonly find: (person: PersonKey) => Effect.Effect<Option.Option<PersonRow>, StoreError>

    readonly findByServiceId: (
      environment: Environment,
      serviceId: ConsumerId
    ) => Effect.Effect<Option.Option<PersonRow>, StoreError>

    /** Stores a copy unless the cell already has one, which may be newer. */
    readonly add: (person: PersonRow) => Effect.Effect<void, StoreError>

    readonly replace: (person: PersonRow) => Effect.Effect<void, StoreError>
  }
>()("@surety/cells/PersonRows") {}

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ userId: UserId, row: Schema.String })))

/** Columns that are copied between cells. `kyc_evidence_count` is not copied: each cell counts its own evidence. */
const copied = [
  ...["environment", "id", "service_id", "external_id", "display_name", "country", "email", "phone_verified"],
  ...["created_at", "kyc_status", "kyc_tier", "ask_limits", "restricted_at"]
]

const fixed: ReadonlySet<string> = new Set(["environment", "id", "service_id", "created_at", "ask_limits"])

/** Copied columns that `replace` overwrites: those that the serving role may update. */
const changing = copied.filter((column) => !fixed.has(column))

const failing =
  (verb: string) =>
  <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError, R>): Effect.Effect<A, StoreError, R> => {
    const operation = `PersonRows.${verb}`
    const failed = (reason: StoreUnavailable | StoreCorrupt) => Effect.fail(new StoreError({ operation, reason }))
    return self.pipe(
      Effect.catchTags({
        SqlError: ({ reason }) => failed(new StoreUnavailable({ cause: new Error(reason._tag) })),
        SchemaError: () => failed(new StoreCorrupt({ cause: new Error("unexpected row of a person") }))
      }),
      Effect.timeoutOrElse({
        duration: "5 seconds",
        orElse: () => failed(new StoreUnavailable({ cause: new Error("timed out") }))
      })
    )
  }

/** `PersonRows` over the table `consumer` in a cell's schema. */
export const layer: Layer.Layer<PersonRows, never, PgClient> = Layer.effect(
  PersonRows,
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    const table = sql.literal(`"${schema}".consumer`)
    const columns = sql.literal(copied.join(", "))
    const read = (condition: ReturnType<typeof sql.and>) =>
      Effect.map(
        Effect.flatMap(
          sql`select c.id as "userId", to_jsonb(c)::text as row from ${table} c where ${condition}`,
          decodeRows
        ),
        (rows) => Option.map(Arr.head(rows), ({ row, userId }) => ({ userId, row: Redacted.make(row) }))
      )
    const store = ({ row }: PersonRow, onConflict: string) =>
      sql`insert into ${table} (${columns})
        select ${columns} from jsonb_populate_record(null::${table}, ${Redacted.value(row)}::jsonb)
        ${sql.literal(onConflict)}`
    const overwrite = changing.map((column) => `${column} = excluded.${column}`).join(", ")

    return PersonRows.of({
      find: ({ environment, userId }) =>
        failing("find")(read(sql.and([sql`c.id = ${userId}`, sql`c.environment = ${environment}`]))),
      findByServiceId: (environment, serviceId) =>
        failing("findByServiceId")(
          read(sql.and([sql`c.service_id = ${serviceId}`, sql`c.environment = ${environment}`]))
        ),
      add: (person) => failing("add")(Effect.asVoid(store(person, "on conflict do nothing"))),
      replace: (person) =>
        failing("replace")(Effect.asVoid(store(person, `on conflict (id, environment) do update set ${overwrite}`)))
    })
  })
)
