import { Currency } from "@surety/core/Currency"
import type { Environment } from "@surety/core/Environment"
import { fromUuid, type TransferId, toUuid } from "@surety/core/Ids"
import { AccountKind, type AccountPart } from "@surety/core/ledger/Account"
import type { Ledger } from "@surety/core/ledger/Ledger"
import { type Transfer, TransferKind } from "@surety/core/ledger/Transfer"
import { AmountMinor } from "@surety/core/Money"
import { Array as Arr, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import { booksOf, ownerOf, ownerText } from "./AccountRow.js"

/** Schemas of the columns that `transferColumns` selects. */
export const transferFields = {
  id: Column.transferId,
  kind: TransferKind,
  currency: Currency,
  amountMinor: AmountMinor,
  at: Column.time,
  cause: Schema.String,
  causeKind: Column.nullable(Schema.Literals(["refund", "transfer"]))
}

export const transferColumns = `t.id, t.kind, t.currency, t.amount_minor as "amountMinor", t.at,
      coalesce(t.payment_id, t.refund_id::text, t.operator_transfer_id::text) as cause,
      case when t.refund_id is not null then 'refund' when t.operator_transfer_id is not null then 'transfer'
        end as "causeKind"`

const TransferColumns = Schema.Struct(transferFields)

export const toTransfer = (
  { amountMinor, at, cause, causeKind, currency, id, kind }: typeof TransferColumns.Type,
  parts: Pick<Transfer, "debit" | "credit">
): Transfer => ({
  id,
  kind,
  at,
  amount: { currency, minor: amountMinor },
  ...parts,
  cause: causeKind === undefined ? cause : fromUuid(causeKind, cause)
})

const TransferRow = Schema.Struct({
  ...transferFields,
  merchantId: Column.nullable(Column.merchantId),
  debitKind: AccountKind,
  debitOwner: Schema.String,
  creditKind: AccountKind,
  creditOwner: Schema.String
})

const decode = Schema.decodeUnknownEffect(Schema.Array(TransferRow))

const transferOf = (environment: Environment, row: typeof TransferRow.Type): Transfer => {
  const account = (kind: AccountKind, owner: string): AccountPart => ({
    environment,
    kind,
    owner: ownerOf(kind, owner),
    currency: row.currency,
    books: booksOf(row.merchantId)
  })
  return toTransfer(row, {
    debit: account(row.debitKind, row.debitOwner),
    credit: account(row.creditKind, row.creditOwner)
  })
}

/** Selects the environment's transfers `t` that match an indexed condition, oldest first. */
export const transfersWhere = Effect.fnUntraced(function* (
  { name, sql }: Database,
  environment: Environment,
  condition: Fragment
) {
  const owner = (alias: string) => sql.literal(ownerText(alias))
  const rows = yield* sql`
    select ${sql.literal(transferColumns)},
      d.merchant_id as "merchantId", d.kind as "debitKind", ${owner("d")} as "debitOwner", c.kind as "creditKind",
      ${owner("c")} as "creditOwner"
    from ${name("transfer")} t
    join ${name("account")} d on d.id = t.debit_account_id join ${name("account")} c on c.id = t.credit_account_id
    where ${condition} and t.environment = ${environment} order by t.at, t.id`
  return (yield* decode(rows)).map((row) => transferOf(environment, row))
})

export const make = (database: Database): Ledger["Service"]["transfer"] =>
  Effect.fn("PgLedger.transfer")(
    (environment: Environment, id: TransferId) =>
      Effect.map(transfersWhere(database, environment, database.sql`t.id = ${toUuid(id)}`), Arr.head),
    database.verb("Ledger.transfer")
  )
