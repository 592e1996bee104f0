import { MerchantId, toUuid } from "@surety/core/Ids"
import type { MerchantAuditStep } from "@surety/core/ledger/Ledger"
import { Effect, Option, Schema } from "effect"
import type { Database, InnerError } from "../sql/Database.js"
import { cursorCodec } from "../sql/listCursor.js"
import { faultsOf } from "./auditLedger.js"
import { merchantWalks, pageSize, paymentsWalk, type Walk } from "./merchantWalks.js"

/**
 * The position of a merchant's audit: the walk in progress, and its last checked row, if any. A version with another
 * number of `walks` does not resume it.
 */
const Place = Schema.Struct({
  merchant: MerchantId,
  walks: Schema.Natural,
  walk: Schema.Natural,
  after: Schema.optionalKey(Schema.Array(Schema.String))
})

const places = cursorCodec(Place)

const decodePage = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ count: Schema.Int, place: Schema.Array(Schema.String) }))
)

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.BigInt })))

const ended: MerchantAuditStep = { faults: [], records: 0, next: undefined }

/**
 * Implements `Ledger.auditMerchant`. A step is one transaction over one snapshot, so it sees a commit as a whole or not
 * at all.
 */
export const auditMerchant = (
  database: Database
): ((
  merchantId: MerchantId,
  place: string | undefined
) => Effect.Effect<Option.Option<MerchantAuditStep>, InnerError>) => {
  const { name, sql } = database

  // Disables the plans that could read other merchants' rows, even if the planner expects only a few of them.
  const prepare = Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read`.unprepared
    for (const method of ["seqscan", "bitmapscan", "mergejoin", "hashjoin"]) {
      yield* sql.unsafe(`set local enable_${method} = off`).unprepared
    }
    yield* sql`set local jit = off`.unprepared
  })

  /** Selects the merchant's settlement accounts, in the order in which they were opened. */
  const settlements = (merchantId: MerchantId) =>
    Effect.flatMap(
      sql`
        select a.id from ${name("account")} a
        where a.user_id is null and a.merchant_id = ${toUuid(merchantId)}::uuid and a.kind = 'SETTLEMENT'
        order by a.id`,
      decodeAccounts
    )

  const walkAt = Effect.fnUntraced(function* (merchantId: MerchantId, index: number) {
    const walks = merchantWalks(database, merchantId)
    const walk = walks[index]
    if (walk !== undefined) return walk
    const account = (yield* settlements(merchantId))[index - walks.length]
    return account === undefined ? undefined : paymentsWalk(database, account.id)
  })

  const checkPage = Effect.fnUntraced(function* (walk: Walk, after: ReadonlyArray<string> | undefined) {
    const rows = walk.after(after)
    const found = yield* faultsOf(database, yield* walk.checks(rows))
    if (walk.hashed === undefined) return found
    yield* sql`set local enable_hashjoin = on`.unprepared
    return [...found, ...(yield* faultsOf(database, walk.hashed(rows)))]
  })

  const step = Effect.fnUntraced(function* (merchantId: MerchantId, index: number, after?: ReadonlyArray<string>) {
    yield* prepare
    const walk = yield* walkAt(merchantId, index)
    if (walk === undefined) return after === undefined ? Option.some(ended) : Option.none()
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
    return Option.some({
      faults,
      records: page?.count ?? 0,
      next: places.encode({ merchant: merchantId, walks: merchantWalks(database, merchantId).length, ...next })
    })
  })

  return Effect.fnUntraced(function* (merchantId: MerchantId, place: string | undefined) {
    if (place === undefined) return yield* sql.withTransaction(step(merchantId, 0))
    const known = Option.filter(
      places.decode(place),
      ({ merchant, walks }) => merchant === merchantId && walks === merchantWalks(database, merchantId).length
    )
    if (Option.isNone(known)) return Option.none()
    return yield* sql.withTransaction(step(merchantId, known.value.walk, known.value.after))
  })
}
