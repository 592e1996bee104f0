import { Effect, Schema } from "effect"
import type { CellDatabase } from "../CellDatabase.js"
import { moving } from "./MoveTables.js"
import { theirs } from "./Parking.js"

const decodeFaults = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ fault: Schema.String })))

/**
 * Finds faults in a merchant's stored rows, such as missing rows, balances that differ from their postings and broken
 * receipt chains. Describes them without personal data. `waiting` is the schema that the rows came from.
 */
export const arrivalFaults = Effect.fnUntraced(function* (
  { schema, sql }: CellDatabase["Service"],
  waiting: string,
  merchant: string
) {
  const table = (name: string) => `"${waiting}".${name}`
  const stored = (name: string) => `"${schema}".${name}`
  const counts = moving.map(
    (moved) => `select '${moved.name}: rows are missing' as fault
      where (select count(*) from ${stored(moved.name)} t where ${theirs(moved, schema, merchant)})
        <> (select count(*) from ${table(moved.name)} t where ${theirs(moved, waiting, merchant)})`
  )
  const balances = `select 'account ' || a.environment || ' ' || a.kind || ' ' || a.currency || ': balance does not match its postings'
    from ${stored("account")} a
    where a.merchant_id = '${merchant}' and a.balance_minor <>
      coalesce((select sum(t.amount_minor) from ${stored("transfer")} t where t.credit_account_id = a.id), 0)
      - coalesce((select sum(t.amount_minor) from ${stored("transfer")} t where t.debit_account_id = a.id), 0)`
  const chains = `select 'receipts ' || c.environment || ': the chain is broken at ' || c.sequence
    from (
      select r.environment, r.sequence, r.previous_hash,
        lag(r.hash, 1, repeat('0', 64)) over (partition by r.environment order by r.sequence) as expected
      from ${stored("consent_receipt")} r where r.merchant_id = '${merchant}'
    ) c where c.previous_hash <> c.expected`
  const ends = `select 'receipts ' || e.environment || ': the recorded end is not the last receipt'
    from ${stored("receipt_chain_end")} e
    where e.merchant_id = '${merchant}' and e.hash is distinct from (
      select r.hash from ${stored("consent_receipt")} r
      where r.merchant_id = e.merchant_id and r.environment = e.environment order by r.sequence desc limit 1
    )`
  const found = yield* sql.unsafe([...counts, balances, chains, ends].join(" union all "))
  return (yield* decodeFaults(found)).map(({ fault }) => fault)
})
