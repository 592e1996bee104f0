import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { fromUuid, type TransferId, toUuid } from "@surety/core/Ids"
import { type Account, type AccountKey, AccountKind } from "@surety/core/ledger/Account"
import { type AccountPosting, Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { TransferKind } from "@surety/core/ledger/Transfer"
import { AmountMinor } from "@surety/core/Money"
import { Effect, Layer, Option, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, pageOfRows } from "../sql/listCursor.js"
import { audit, auditConsents } from "./auditLedger.js"
import { auditSteps } from "./auditSteps.js"
import { consumerOf, merchantOf } from "./postTransfers.js"
import { sumsOf } from "./verifiedSums.js"

const AccountRow = Schema.Struct({
  id: Schema.BigInt,
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency,
  balanceMinor: Schema.BigInt
})

const decodeBalances = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ balanceMinor: Schema.BigInt })))

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(AccountRow))

const accountOf = ({ balanceMinor, currency, environment, kind, owner }: typeof AccountRow.Type): Account => ({
  key: { environment, kind, owner: ownerText(kind, owner), currency },
  balanceMinor
})

const ownerText = (kind: AccountKind, owner: string): string =>
  kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.BigInt })))

const PostingRow = Schema.Struct({
  id: Column.transferId,
  kind: TransferKind,
  currency: Currency,
  amountMinor: AmountMinor,
  at: Column.time,
  cause: Schema.String,
  causeKind: Column.nullable(Schema.Literals(["refund", "transfer"])),
  isDebit: Schema.Boolean,
  otherKind: AccountKind,
  otherOwner: Schema.String
})

const decodePostings = Schema.decodeUnknownEffect(Schema.Array(PostingRow))

const postingOf = (account: AccountKey, row: typeof PostingRow.Type): AccountPosting => {
  const { amountMinor, at, cause, causeKind, currency, id, isDebit, kind, otherKind, otherOwner } = row
  const other = { ...account, kind: otherKind, owner: ownerText(otherKind, otherOwner) }
  return {
    side: isDebit ? "DEBIT" : "CREDIT",
    transfer: {
      id,
      kind,
      amount: { currency, minor: amountMinor },
      cause: causeKind === undefined ? cause : fromUuid(causeKind, cause),
      at,
      ...(isDebit ? { debit: account, credit: other } : { debit: other, credit: account })
    }
  }
}

const postingCursors = cursorCodec(Schema.Tuple([Column.transferId]))

/** A sum of `bigint`s is a `numeric`, which the driver returns as text. */
const sum = Schema.BigIntFromString

const LineRow = Schema.Struct({ environment: Environment, currency: Currency, debitsMinor: sum, creditsMinor: sum })

const decodeLines: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<TrialBalanceLine>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(LineRow)
)

const cursors = cursorCodec(Schema.Tuple([Schema.Int]))

/** `Ledger` on PostgreSQL: the operator's view, across merchants. */
export const layer: Layer.Layer<Ledger, never, PgClient> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, settings, sql, verb } = database

    const balances: Ledger["Service"]["balances"] = Effect.fn("PgLedger.balances")(function* (environment, page) {
      const { data, nextCursor } = yield* pageOfRows(
        page,
        cursors,
        ({ id }: typeof AccountRow.Type) => [Number(id)] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`
              select a.id, a.environment, a.kind, coalesce(a.merchant_id::text, a.user_id, 'platform') as owner,
                a.currency, a.balance_minor as "balanceMinor"
              from ${name("account")} a
              where ${environmentIs("a", environment)} ${after === undefined ? sql`` : sql`and a.id < ${after[0]}`}
              order by a.id desc limit ${limit}`,
            decodeAccounts
          )
      )
      return { data: data.map(accountOf), nextCursor }
    }, verb("Ledger.balances"))

    /** No index finds `is not distinct from`, so each kind of owner has a condition of its own. */
    const isOwned = (key: AccountKey) => {
      switch (key.kind) {
        case "WALLET":
          return sql`a.user_id = ${consumerOf(key)} and a.merchant_id is null`
        case "SETTLEMENT":
          return sql`a.user_id is null and a.merchant_id = ${merchantOf(key)}::uuid`
        case "EXTERNAL":
          return sql`a.user_id is null and a.merchant_id is null`
      }
    }

    const accountId = (key: AccountKey) => sql`
      select a.id from ${name("account")} a
      where ${isOwned(key)} and a.environment = ${key.environment} and a.currency = ${key.currency}
        and a.kind = ${key.kind}`

    const balance: Ledger["Service"]["balance"] = Effect.fn("PgLedger.balance")(function* (account) {
      const [found] = yield* decodeBalances(
        yield* sql`select a.balance_minor as "balanceMinor" from ${name("account")} a where a.id = (${accountId(account)})`
      )
      return Option.fromUndefinedOr(found?.balanceMinor)
    }, verb("Ledger.balance"))

    /** The newest postings of one side, after a transfer. */
    const sideOf = (id: bigint, side: AccountPosting["side"], after: TransferId | undefined, limit: number) => {
      const column = sql.literal(side === "DEBIT" ? "t.debit_account_id" : "t.credit_account_id")
      return sql`
        (select t.* from ${name("transfer")} t
        where ${column} = ${id} ${after === undefined ? sql`` : sql`and t.id < ${toUuid(after)}`}
        order by t.id desc limit ${limit})`
    }

    const postings: Ledger["Service"]["postings"] = Effect.fn("PgLedger.postings")(function* (account, page) {
      const [found] = yield* Effect.flatMap(accountId(account), decodeIds)
      if (found === undefined) return { data: [], nextCursor: undefined }
      return yield* pageOfRows(
        page,
        postingCursors,
        ({ transfer }: AccountPosting) => [transfer.id] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`
              select t.id, t.kind, t.currency, t.amount_minor as "amountMinor", t.at,
                coalesce(t.payment_id, t.refund_id::text, t.operator_transfer_id::text) as cause,
                case when t.refund_id is not null then 'refund' when t.operator_transfer_id is not null then 'transfer'
                  end as "causeKind",
                t.debit_account_id = ${found.id} as "isDebit", o.kind as "otherKind",
                coalesce(o.merchant_id::text, o.user_id, 'platform') as "otherOwner"
              from (
                ${sideOf(found.id, "DEBIT", after?.[0], limit)} union all ${sideOf(found.id, "CREDIT", after?.[0], limit)}
              ) t
              join ${name("account")} o
                on o.id = case when t.debit_account_id = ${found.id} then t.credit_account_id else t.debit_account_id end
              order by t.id desc limit ${limit}`,
            (rows) => Effect.map(decodePostings(rows), (decoded) => decoded.map((row) => postingOf(account, row)))
          )
      )
    }, verb("Ledger.postings"))

    // Foreign keys make both accounts of a transfer share its environment and currency, so these sums follow the
    // accounts. What is verified is added up already.
    const trialBalance = sql`
      select environment, currency, sum(debit)::numeric as "debitsMinor", sum(credit)::numeric as "creditsMinor"
      from (
        select environment, currency, debits_minor as debit, credits_minor as credit from ${name("verified_total")}
        union all
        (${sumsOf(database, sql`t.committed_by >= coalesce((select p.through from ${name("verified_point")} p), 0)`)})
      ) as postings
      group by environment, currency order by environment, currency`

    const auditNext = yield* auditSteps(database)

    return Ledger.of({
      balance,
      balances,
      postings,
      trialBalance: Effect.flatMap(trialBalance, decodeLines).pipe(
        verb("Ledger.trialBalance", settings.auditTimeoutMillis),
        Effect.withSpan("PgLedger.trialBalance")
      ),
      audit: audit(database).pipe(verb("Ledger.audit", settings.auditTimeoutMillis), Effect.withSpan("PgLedger.audit")),
      auditConsents: auditConsents(database).pipe(
        verb("Ledger.auditConsents", settings.auditTimeoutMillis),
        Effect.withSpan("PgLedger.auditConsents")
      ),
      auditNext: Effect.fn("PgLedger.auditNext")(auditNext, verb("Ledger.auditNext", settings.auditTimeoutMillis))
    })
  })
)
