import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { type TransferId, toUuid } from "@surety/core/Ids"
import { type Account, type AccountKey, AccountKind, type AccountPart } from "@surety/core/ledger/Account"
import { type AccountPosting, Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { Effect, Layer, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, lastUuid, pageOfRows } from "../sql/listCursor.js"
import { booksOf, isPartOf, ownerOf, ownerText } from "./AccountRow.js"
import { audit } from "./auditLedger.js"
import { auditMerchant } from "./auditMerchant.js"
import { auditSteps } from "./auditSteps.js"
import * as FindTransfer from "./findTransfer.js"
import { sumsOf, verifiedThrough } from "./verifiedSums.js"

const AccountRow = Schema.Struct({
  id: Schema.BigInt,
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency,
  balanceMinor: Schema.BigInt
})

const decodeSums = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ balanceMinor: Schema.NullOr(Schema.BigInt) }))
)

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(AccountRow))

const accountOf = ({ balanceMinor, currency, environment, kind, owner }: typeof AccountRow.Type): Account => ({
  key: { environment, kind, owner: ownerOf(kind, owner), currency },
  balanceMinor
})

const PostingRow = Schema.Struct({
  ...FindTransfer.transferFields,
  merchantId: Column.nullable(Column.merchantId),
  isDebit: Schema.Boolean,
  otherKind: AccountKind,
  otherOwner: Schema.String
})

const decodePostings = Schema.decodeUnknownEffect(Schema.Array(PostingRow))

const postingOf = (account: AccountKey, row: typeof PostingRow.Type): AccountPosting => {
  const { isDebit, merchantId, otherKind, otherOwner } = row
  const own: AccountPart = { ...account, books: booksOf(merchantId) }
  const other: AccountPart = { ...own, kind: otherKind, owner: ownerOf(otherKind, otherOwner) }
  return {
    side: isDebit ? "DEBIT" : "CREDIT",
    transfer: FindTransfer.toTransfer(row, isDebit ? { debit: own, credit: other } : { debit: other, credit: own })
  }
}

const postingCursors = cursorCodec(Schema.Tuple([Column.transferId]))

/** A sum of `bigint`s is a `numeric`, which the driver returns as a string. */
const sum = Schema.BigIntFromString

const LineRow = Schema.Struct({ environment: Environment, currency: Currency, debitsMinor: sum, creditsMinor: sum })

const decodeLines: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<TrialBalanceLine>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(LineRow)
)

const cursors = cursorCodec(Schema.Tuple([Schema.Int]))

/** The operator's view, across all merchants. */
export const layer: Layer.Layer<Ledger, never, PgClient> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, settings, sql, verb } = database

    /** All parts `p` of the wallet to which part `a` belongs. `outsideParts` is the same for an external account. */
    const walletParts = sql`
      from ${name("account")} p
      where p.user_id = a.user_id and p.environment = a.environment and p.currency = a.currency and p.kind = 'WALLET'`
    const outsideParts = sql`
      from ${name("account")} p
      where p.kind = 'EXTERNAL' and p.environment = a.environment and p.currency = a.currency`

    // An account is listed at its oldest part, so that its position does not change when parts are added.
    const balances: Ledger["Service"]["balances"] = Effect.fn("PgLedger.balances")(function* (environment, page) {
      const { data, nextCursor } = yield* pageOfRows(
        page,
        cursors,
        ({ id }: typeof AccountRow.Type) => [Number(id)] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`
              select a.id, a.environment, a.kind, ${sql.literal(ownerText("a"))} as owner, a.currency,
                case a.kind
                  when 'WALLET' then (select sum(p.balance_minor)::bigint ${walletParts})
                  when 'EXTERNAL' then (select sum(p.balance_minor)::bigint ${outsideParts})
                  else a.balance_minor
                end as "balanceMinor"
              from ${name("account")} a
              where ${environmentIs("a", environment)} ${after === undefined ? sql`` : sql`and a.id < ${after[0]}`}
                and a.opens_account
                and (a.kind <> 'WALLET' or not exists (select ${walletParts} and p.id < a.id and p.opens_account))
                and (a.kind <> 'EXTERNAL' or not exists (select ${outsideParts} and p.id < a.id and p.opens_account))
              order by a.id desc limit ${limit}`,
            decodeAccounts
          )
      )
      return { data: data.map(accountOf), nextCursor }
    }, verb("Ledger.balances"))

    const balance: Ledger["Service"]["balance"] = Effect.fn("PgLedger.balance")(function* (account) {
      const [found] = yield* decodeSums(
        yield* sql`
          select sum(a.balance_minor)::bigint as "balanceMinor" from ${name("account")} a
          where ${isPartOf(database, account)}`
      )
      return Option.fromNullOr(found?.balanceMinor ?? null)
    }, verb("Ledger.balance"))

    /**
     * Builds SQL that selects the newest postings on one side of the account, below `after` if given. An external
     * account can have a part per merchant. The query first reads only the newest posting of each part. It then reads
     * further in at most `limit` parts, because `limit` postings belong to at most `limit` parts.
     *
     * A few accounts hold nearly all transfers. With an equality condition, the planner assumes an average part, and
     * reads and sorts all of its transfers. With bounds, it assumes a large part, and reads the index in order.
     */
    const sideOf = (
      account: AccountKey,
      side: AccountPosting["side"],
      after: TransferId | undefined,
      limit: number
    ): Fragment => {
      const part = sql.literal(side === "DEBIT" ? "t.debit_account_id" : "t.credit_account_id")
      const until = after === undefined ? sql`<= (a.id, ${lastUuid}::uuid)` : sql`< (a.id, ${toUuid(after)}::uuid)`
      const newest = (columns: string, most: number) => sql`
        select ${sql.literal(columns)} from ${name("transfer")} t
        where ${part} >= a.id and (${part}, t.id) ${until}
        order by ${part} desc, t.id desc limit ${most}`
      return sql`
        (select t.*, ${side === "DEBIT"}::boolean as is_debit
        from (
          select a.id from ${name("account")} a cross join lateral (${newest("t.id as transfer_id", 1)}) n
          where ${isPartOf(database, account)}
          order by n.transfer_id desc limit ${limit}
        ) a
        cross join lateral (${newest("t.*", limit)}) t
        order by t.id desc limit ${limit})`
    }

    const postings: Ledger["Service"]["postings"] = Effect.fn("PgLedger.postings")(
      (account, page) =>
        pageOfRows(
          page,
          postingCursors,
          ({ transfer }: AccountPosting) => [transfer.id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(FindTransfer.transferColumns)},
                  t.is_debit as "isDebit", o.merchant_id as "merchantId", o.kind as "otherKind",
                  ${sql.literal(ownerText("o"))} as "otherOwner"
                from (
                  ${sideOf(account, "DEBIT", after?.[0], limit)} union all ${sideOf(account, "CREDIT", after?.[0], limit)}
                ) t
                join ${name("account")} o on o.id = case when t.is_debit then t.credit_account_id else t.debit_account_id end
                order by t.id desc limit ${limit}`,
              (rows) => Effect.map(decodePostings(rows), (decoded) => decoded.map((row) => postingOf(account, row)))
            )
        ),
      verb("Ledger.postings")
    )

    // Groups by the environment and currency of the accounts, which foreign keys make equal to those of the transfers.
    // Verified transfers are already summed in `verified_total`.
    const trialBalance = sql`
      select environment, currency, sum(debit)::numeric as "debitsMinor", sum(credit)::numeric as "creditsMinor"
      from (
        select environment, currency, debits_minor as debit, credits_minor as credit from ${name("verified_total")}
        where ${verifiedThrough(database)} is not null
        union all
        (${sumsOf(database, sql`t.committed_by >= coalesce(${verifiedThrough(database)}, 0)`)})
      ) as postings
      group by environment, currency order by environment, currency`

    const auditNext = yield* auditSteps(database)

    return Ledger.of({
      balance,
      balances,
      postings,
      transfer: FindTransfer.make(database),
      trialBalance: Effect.flatMap(trialBalance, decodeLines).pipe(
        verb("Ledger.trialBalance", settings.auditTimeoutMillis),
        Effect.withSpan("PgLedger.trialBalance")
      ),
      audit: audit(database).pipe(verb("Ledger.audit", settings.auditTimeoutMillis), Effect.withSpan("PgLedger.audit")),
      auditNext: Effect.fn("PgLedger.auditNext")(auditNext, verb("Ledger.auditNext", settings.auditTimeoutMillis)),
      auditMerchant: Effect.fn("PgLedger.auditMerchant")(
        auditMerchant(database),
        verb("Ledger.auditMerchant", settings.auditTimeoutMillis)
      )
    })
  })
)
