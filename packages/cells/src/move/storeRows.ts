import { Effect, Schema } from "effect"
import type { CellDatabase } from "../CellDatabase.js"
import { type MovingTable, moving } from "./MoveTables.js"
import { theirs } from "./Parking.js"

const decodeColumns = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Stores a merchant's waiting rows. Call it inside a transaction that `asMover` has marked. */
export const storeRows = ({ schema, sql }: CellDatabase["Service"], waiting: string, merchant: string) => {
  const table = (name: string) => `"${waiting}".${name}`
  const stored = (name: string) => `"${schema}".${name}`

  const columnsOf = Effect.fnUntraced(function* ({ fresh, name }: MovingTable) {
    const rows = yield* sql`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${stored(name)}) and attnum > 0 and not attisdropped order by attnum`
    return (yield* decodeColumns(rows)).map((column) => column.name).filter((column) => !fresh.includes(column))
  })

  /**
   * Stores the accounts under new ids assigned by the cell. Records each account's former and new ids, for the
   * transfers that refer to it.
   */
  const applyAccounts = Effect.fnUntraced(function* (accounts: MovingTable) {
    const columns = ["environment", "kind", "currency", "merchant_id", "user_id", "balance_minor"].join(", ")
    yield* sql.unsafe(
      `insert into ${stored("account")} (${columns}) select ${columns} from ${table("account")} t
        where ${theirs(accounts, waiting, merchant)} order by id`
    )
    yield* sql.unsafe(`create table ${table("account_number")} as
      select s.id as former, a.id as current from ${table("account")} s
      join ${stored("account")} a on a.merchant_id = s.merchant_id and a.environment = s.environment
        and a.currency = s.currency and a.kind = s.kind and a.user_id is not distinct from s.user_id`)
  })

  /**
   * Stores a table's waiting rows that still belong to the merchant. Skips delivery attempts whose delivery is not
   * among them: when a delivery is deleted, the fence does not note the cascaded deletion of its attempts.
   */
  const apply = Effect.fnUntraced(function* (moved: MovingTable) {
    const { key, name } = moved
    if (name === "account") return yield* applyAccounts(moved)
    const columns = yield* columnsOf(moved)
    const values = columns.map((column) =>
      name === "transfer" && column === "debit_account_id"
        ? "d.current"
        : name === "transfer" && column === "credit_account_id"
          ? "c.current"
          : `t.${column}`
    )
    const accounts =
      name === "transfer"
        ? `join ${table("account_number")} d on d.former = t.debit_account_id
          join ${table("account_number")} c on c.former = t.credit_account_id`
        : ""
    const order = moved.fresh.some((column) => key.includes(column))
      ? `order by ${key.map((column) => `t.${column}`).join(", ")}`
      : ""
    yield* sql.unsafe(`insert into ${stored(name)} (${columns.join(", ")}) overriding system value
      select ${values.join(", ")} from ${table(name)} t ${accounts} where ${theirs(moved, waiting, merchant)} ${order}`)
  })

  return Effect.forEach(moving, apply, { discard: true })
}
