import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { Account } from "@surety/core/ledger/Account"
import { Ledger, type LedgerFault, type TrialBalanceLine } from "@surety/core/ledger/Ledger"
import { Effect, Layer, Schema } from "effect"
import { audit } from "./audit.ts"
import { Database } from "./Database.ts"
import { pageOf } from "./pages.ts"

const account = Schema.decodeUnknownSync(Account)

const line: (row: unknown) => TrialBalanceLine = Schema.decodeUnknownSync(
  Schema.Struct({
    environment: Environment,
    currency: Currency,
    debitsMinor: Schema.BigInt,
    creditsMinor: Schema.BigInt
  })
)

export const make = ({ read }: Database["Service"]): Ledger["Service"] =>
  Ledger.of({
    balances: (environment, page) =>
      read("Ledger.balances", (sql) =>
        pageOf(
          page,
          ({ at }, limit) => sql.all`
            select printf('%019d', id) as at, '' as id, environment, kind, owner, currency, balance_minor
            from account where environment = ${environment} and at < ${at}
            order by account.id desc limit ${limit}`,
          ({ balance_minor: balanceMinor, currency, environment, kind, owner }) =>
            account({ key: { environment, kind, owner, currency }, balanceMinor })
        )
      ),

    trialBalance: read("Ledger.trialBalance", (sql) =>
      sql.all`
        select a.environment, a.currency, sum(-min(p.minor, 0)) as debitsMinor, sum(max(p.minor, 0)) as creditsMinor
        from (
          select debit as account, -amount_minor as minor from transfer
          union all
          select credit, amount_minor from transfer
        ) p join account a on a.id = p.account
        group by a.environment, a.currency`.map(line)
    ),

    audit: read("Ledger.audit", (sql): ReadonlyArray<LedgerFault> => audit(sql))
  })

export const layer: Layer.Layer<Ledger, never, Database> = Layer.effect(Ledger, Effect.map(Database, make))
