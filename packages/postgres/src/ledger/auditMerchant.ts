import { MerchantId, toUuid } from "@surety/core/Ids"
import type { MerchantAuditStep } from "@surety/core/ledger/Ledger"
import { Effect, Option, Schema } from "effect"
import type { Database, InnerError } from "../sql/Database.js"
import { cursorCodec } from "../sql/listCursor.js"
import { faultsOf } from "./auditLedger.js"
import { merchantWalks, pageSize, paymentsWalk, type Walk } from "./merchantWalks.js"

/**
 * The position of a merchant's audit: the walk in progress, and its last checked row, if any. A release with a
 * different number of `walks` does not resume the audit. Nor does a cell with a different `store`, because the
 * merchant's account ids differ between cells.
 */
const Place = Schema.Struct({
  merchant: MerchantId,
  store: Schema.NullOr(Schema.String),
  walks: Schema.Natural,
  walk: Schema.Natural,
  after: Schema.optionalKey(Schema.NonEmptyArray(Schema.String))
})

const places = cursorCodec(Place)

const decodePage = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ count: Schema.Int, place: Schema.NonEmptyArray(Schema.String) }))
)

const decodeStore = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ store: Schema.NullOr(Schema.String) })]))

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.BigInt })))

const ended: MerchantAuditStep = { faults: [], records: 0, next: undefined }

/**
 * Implements `Ledger.auditMerchant`. A step is one transaction over one snapshot, so it sees each commit in full or not
 * at all.
 */
export const auditMerchant = (
  database: Database
): ((
  merchantId: MerchantId,
  place: string | undefined
) => Effect.Effect<Option.Option<MerchantAuditStep>, InnerError>) => {
  const { name, nameText, sql } = database

  // Disables the plans that could read other merchants' rows. The planner might choose them if it expects few rows.
  const prepare = Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read`.unprepared
    for (const method of ["seqscan", "bitmapscan", "mergejoin", "hashjoin"]) {
      yield* sql.unsafe(`set local enable_${method} = off`).unprepared
    }
    yield* sql`set local jit = off`.unprepared
  })

  /** Oldest first, so a new account leaves the indexes of earlier walks unchanged. */
  const settlements = (merchantId: MerchantId) =>
    Effect.flatMap(
      sql`
        select a.id from ${name("account")} a
        where a.user_id is null and a.merchant_id = ${toUuid(merchantId)}::uuid and a.kind = 'SETTLEMENT'
        order by a.id`,
      decodeAccounts
    )

  /** Reads the comment on `surety_migrations`, in which a cell stores its identity. Null without cells. */
  const storeHere = Effect.map(
    Effect.flatMap(
      sql`select obj_description(to_regclass(${nameText("surety_migrations")}), 'pg_class') as store`,
      decodeStore
    ),
    ([{ store }]) => store
  )

  /** Returns the walk with this index, `end` for the index after the last walk, or undefined for a greater index. */
  const walkAt = Effect.fnUntraced(function* (merchantId: MerchantId, walks: ReadonlyArray<Walk>, index: number) {
    const walk = walks[index]
    if (walk !== undefined) return walk
    const accounts = yield* settlements(merchantId)
    const account = accounts[index - walks.length]
    if (account !== undefined) return paymentsWalk(database, account.id)
    return index === walks.length + accounts.length ? "end" : undefined
  })

  const checkPage = Effect.fnUntraced(function* (walk: Walk, after: ReadonlyArray<string> | undefined) {
    const rows = walk.after(after)
    const found = yield* faultsOf(database, yield* walk.checks(rows))
    if (walk.hashed === undefined) return found
    yield* sql`set local enable_hashjoin = on`.unprepared
    return [...found, ...(yield* faultsOf(database, walk.hashed(rows)))]
  })

  const step = Effect.fnUntraced(function* (merchantId: MerchantId, from: string | undefined) {
    yield* prepare
    const store = yield* storeHere
    const walks = merchantWalks(database, merchantId)
    const beginning: typeof Place.Type = { merchant: merchantId, store, walks: walks.length, walk: 0 }
    const known = from === undefined ? Option.some(beginning) : places.decode(from)
    if (Option.isNone(known)) return Option.none()
    const { after, walk: index, ...whole } = known.value
    if (whole.merchant !== merchantId || whole.walks !== walks.length || whole.store !== store) return Option.none()
    const walk = yield* walkAt(merchantId, walks, index)
    if (walk === undefined) return Option.none()
    if (walk === "end") return after === undefined ? Option.some(ended) : Option.none()
    const [page] = yield* Effect.flatMap(
      sql`
        select x.count::integer as count, x.place
        from (select row_number() over () as count, ${sql.literal(walk.place)} as place from ${walk.after(after)} x) x
        order by x.count desc limit 1`,
      decodePage
    )
    const faults = yield* checkPage(walk, after)
    const isFull = page !== undefined && page.count === pageSize
    const next = isFull ? { walk: index, after: page.place } : { walk: index + 1 }
    return Option.some({ faults, records: page?.count ?? 0, next: places.encode({ ...whole, ...next }) })
  })

  return (merchantId, place) => sql.withTransaction(step(merchantId, place))
}
