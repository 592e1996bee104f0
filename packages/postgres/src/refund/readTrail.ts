import { Currency } from "@surety/core/Currency"
import type { Environment } from "@surety/core/Environment"
import { type RefundId, toUuid } from "@surety/core/Ids"
import { AccountKind, type AccountPart } from "@surety/core/ledger/Account"
import type { Transfer } from "@surety/core/ledger/Transfer"
import { TransferKind } from "@surety/core/ledger/Transfer"
import { AmountMinor } from "@surety/core/Money"
import type { RefundTrail } from "@surety/core/refund/RefundStore"
import { Effect, Option, Schema } from "effect"
import * as EventRow from "../event/EventRow.js"
import { booksOf, ownerOf, ownerText } from "../ledger/AccountRow.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as RefundRow from "./RefundRow.js"

const TransferRow = Schema.Struct({
  id: Column.transferId,
  kind: TransferKind,
  currency: Currency,
  amountMinor: AmountMinor,
  at: Column.time,
  merchantId: Column.nullable(Column.merchantId),
  debitKind: AccountKind,
  debitOwner: Schema.String,
  creditKind: AccountKind,
  creditOwner: Schema.String
})

const decodeTransfers = Schema.decodeUnknownEffect(Schema.Array(TransferRow))

const transferOf = (
  environment: Environment,
  cause: RefundId,
  { amountMinor, creditKind, creditOwner, currency, debitKind, debitOwner, merchantId, ...row }: typeof TransferRow.Type
): Transfer => {
  const account = (kind: AccountKind, owner: string): AccountPart => ({
    environment,
    kind,
    owner: ownerOf(kind, owner),
    currency,
    books: booksOf(merchantId)
  })
  return {
    ...row,
    amount: { currency, minor: amountMinor },
    debit: account(debitKind, debitOwner),
    credit: account(creditKind, creditOwner),
    cause
  }
}

/** `RefundStore.trail`: three lookups, each over an index. */
export const makeTrail = Effect.gen(function* () {
  const { name, sql, verb } = yield* Database.make
  const owner = (alias: string) => sql.literal(ownerText(alias))

  const transfersOf = (id: RefundId) => sql`
    select t.id, t.kind, t.currency, t.amount_minor as "amountMinor", t.at, d.merchant_id as "merchantId", d.kind as "debitKind",
      ${owner("d")} as "debitOwner", c.kind as "creditKind", ${owner("c")} as "creditOwner"
    from ${name("transfer")} t
    join ${name("account")} d on d.id = t.debit_account_id join ${name("account")} c on c.id = t.credit_account_id
    where t.refund_id = ${toUuid(id)} order by t.at, t.id`

  // The platform's event of a pending refund is not among the merchant's.
  const eventsOf = (id: RefundId) => sql`
    select ${sql.literal(EventRow.columns)} from ${name("refund")} r
    join ${name("event")} v on v.id = r.event_id and v.merchant_id = r.merchant_id and v.environment = r.environment
    where r.id = ${toUuid(id)}`

  return Effect.fn("PgRefundStore.trail")(function* (environment: Environment, id: RefundId) {
    const [refund] = yield* Effect.flatMap(
      sql`
        select ${sql.literal(RefundRow.columns)} from ${name("refund")} r join ${name("payment")} p
          on p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment
        where r.id = ${toUuid(id)} and r.environment = ${environment}`,
      RefundRow.decode
    )
    if (refund === undefined) return Option.none()
    const transfers = yield* Effect.flatMap(transfersOf(id), decodeTransfers)
    const events = yield* Effect.flatMap(eventsOf(id), EventRow.decode)
    const trail: RefundTrail = {
      refund,
      transfers: transfers.map((row) => transferOf(environment, id, row)),
      events
    }
    return Option.some(trail)
  }, verb("RefundStore.trail"))
})
