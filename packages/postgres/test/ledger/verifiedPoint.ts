import * as PgClient from "@effect/sql-pg/PgClient"
import type { MerchantId } from "@surety/core/Ids"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import { Effect, Option, Schema } from "effect"

/** Runs the audit's steps to the last one and returns all of their faults. */
export const steps = Effect.fnUntraced(function* (afresh = false) {
  const ledger = yield* Ledger
  const faults = []
  let step = yield* ledger.auditNext(afresh)
  faults.push(...step.faults)
  while (!step.isLast) {
    step = yield* ledger.auditNext(false)
    faults.push(...step.faults)
  }
  return faults
})

/** Runs the audit of one merchant to its last step and returns all of its faults. */
export const auditOfMerchant = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const ledger = yield* Ledger
  const faults: Array<LedgerFault> = []
  let place: string | undefined
  do {
    const step = Option.getOrThrow(yield* ledger.auditMerchant(merchantId, place))
    faults.push(...step.faults)
    place = step.next
  } while (place !== undefined)
  return faults
})

const Through = Schema.Tuple([Schema.Struct({ through: Schema.BigInt, transfers: Schema.BigInt })])

export const TransactionId = Schema.Tuple([Schema.Struct({ id: Schema.BigInt })])

export const point = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`select through, transfers from surety.verified_point`
  const [found] = yield* Schema.decodeUnknownEffect(Through)(rows)
  return found
})

/**
 * Runs steps until the verified point is past every event committed before the call. Open transactions in other
 * databases hold the point back.
 */
export const pastAll = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [last] = yield* Schema.decodeUnknownEffect(TransactionId)(
    yield* sql`select coalesce(max(committed_by::text::bigint), 0) as id from surety.event`
  )
  yield* Effect.repeat(Effect.andThen(steps(), Effect.delay(point, "20 millis")), {
    until: ({ through }) => through > last.id
  })
})
