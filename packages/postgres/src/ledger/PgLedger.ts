import type { PgClient } from "@effect/sql-pg/PgClient"
import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { fromUuid } from "@surety/core/Ids"
import { type Account, AccountKind } from "@surety/core/ledger/Account"
import { Ledger, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { Effect, Layer, Schema } from "effect"
import * as Database from "../sql/Database.js"
import { cursorCodec, pageOf } from "../sql/listCursor.js"
import { audit } from "./auditLedger.js"

const AccountRow = Schema.Struct({
  id: Schema.BigInt,
  environment: Environment,
  kind: AccountKind,
  owner: Schema.String,
  currency: Currency,
  balanceMinor: Schema.BigInt
})

const decodeAccounts = Schema.decodeUnknownEffect(Schema.Array(AccountRow))

const accountOf = ({ balanceMinor, currency, environment, kind, owner }: typeof AccountRow.Type): Account => ({
  key: { environment, kind, owner: kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner, currency },
  balanceMinor
})

/** The sum of a column of `bigint`s is a `numeric`, which the driver gives as text. */
const sum = Schema.BigIntFromString

const LineRow = Schema.Struct({ environment: Environment, currency: Currency, debitsMinor: sum, creditsMinor: sum })

const decodeLines: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<TrialBalanceLine>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(LineRow)
)

const cursors = cursorCodec(Schema.Tuple([Schema.Int]))

/** `Ledger` on PostgreSQL: the operator's view, of every merchant. */
export const layer: Layer.Layer<Ledger, never, PgClient> = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, settings, sql, verb } = database

    const balances: Ledger["Service"]["balances"] = Effect.fn("PgLedger.balances")(function* (environment, page) {
      const { data, nextCursor } = yield* pageOf(
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

    // A transfer is a debit and a credit of one amount, and both accounts are of its environment and currency by
    // foreign key; so what is summed here is what the accounts' sides say.
    const trialBalance = sql`
      select environment, currency, sum(debit)::numeric as "debitsMinor", sum(credit)::numeric as "creditsMinor"
      from (
        select a.environment, a.currency, t.amount_minor as debit, 0 as credit
        from ${name("transfer")} t join ${name("account")} a on a.id = t.debit_account_id
        union all
        select a.environment, a.currency, 0, t.amount_minor
        from ${name("transfer")} t join ${name("account")} a on a.id = t.credit_account_id
      ) as postings
      group by environment, currency order by environment, currency`

    return Ledger.of({
      balances,
      trialBalance: Effect.flatMap(trialBalance, decodeLines).pipe(
        verb("Ledger.trialBalance", settings.auditTimeoutMillis),
        Effect.withSpan("PgLedger.trialBalance")
      ),
      audit: audit(database).pipe(verb("Ledger.audit", settings.auditTimeoutMillis), Effect.withSpan("PgLedger.audit"))
    })
  })
)
