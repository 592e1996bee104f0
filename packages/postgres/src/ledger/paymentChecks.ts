import { fromUuid } from "@surety/core/Ids"
import type { Fragment } from "effect/sql/Statement"
import { merchantKeyHash } from "../refund/RefundRow.js"
import type { Database } from "../sql/Database.js"
import type { AuditCheck } from "./AuditCheck.js"

/** Formats the merchant, the environment and the id of a payment. */
export const paymentText = ([merchant = "", ...rest]: ReadonlyArray<string>): string =>
  [fromUuid("merchant", merchant), ...rest].join("/")

/** Condition that the transfer `t` names the payment `p`. */
const named = "t.payment_id = p.id and t.merchant_id = p.merchant_id and t.environment = p.environment"

/** Condition that the payment `p` goes through its consumer's wallet. */
const throughWallet = "p.method = 'WALLET' and p.user_id is not null"

/** Condition that the account is the wallet of the consumer of `p`. */
const isWallet = (account: string): string => `${account}.kind = 'WALLET' and ${account}.user_id = p.user_id`

/** Payments to check, as a relation that may be defined by the CTEs in `such`. */
interface Movements {
  readonly such: Fragment
  readonly payments: Fragment
  /** Condition that the transfer `t` names the payment `p`. */
  readonly isNamed: string
}

/**
 * Builds the check that each settled payment in `payments` has its transfer from the payer to the merchant, that money
 * funds only its payer's wallet, and that none was moved for a pending payment.
 */
const movedAsPaid = ({ name, sql }: Database, { isNamed, payments, such }: Movements): AuditCheck => {
  const moved = sql`
    ${name("transfer")} t
    join ${name("account")} debits on debits.id = t.debit_account_id
    join ${name("account")} credits on credits.id = t.credit_account_id`
  const isWhole = sql.literal("t.amount_minor = p.amount_minor and t.currency = p.currency")
  return {
    check: "transfers_have_causes",
    subjectOf: paymentText,
    query: sql`
    ${such}
    select f.subject, f.detail
    from (
      select array[p.merchant_id::text, p.environment, p.id] as subject, 'no PAYMENT of ' || p.amount_minor as detail
      from ${payments} p
      where p.status = 'SETTLED' and not exists (
        select 1 from ${moved}
        where ${sql.literal(isNamed)} and t.kind = 'PAYMENT' and ${isWhole} and credits.kind = 'SETTLEMENT'
          and case when ${sql.literal(throughWallet)} then ${sql.literal(isWallet("debits"))}
            else debits.kind = 'EXTERNAL' end
      )
      union all
      select array[p.merchant_id::text, p.environment, p.id],
        case when p.status = 'PENDING' then 'a ' || t.kind || ', although it is PENDING'
          else 'a FUNDING of ' || t.amount_minor || ' that does not belong to it' end
      from ${payments} p
      join (${moved}) on ${sql.literal(isNamed)}
      where p.status = 'PENDING' or t.kind = 'FUNDING' and not (
        ${sql.literal(throughWallet)} and ${isWhole} and debits.kind = 'EXTERNAL' and ${sql.literal(isWallet("credits"))}
      )
    ) f
    order by f.subject`
  }
}

/** Builds the check of every payment's transfers, in one pass over all of both. */
export const paymentTransfers = (database: Database): AuditCheck =>
  movedAsPaid(database, { such: database.sql``, payments: database.name("payment"), isNamed: named })

/** Builds the check of the given payments' transfers, finding each payment's transfers by index. */
export const paymentTransfersOf = (database: Database, payments: Fragment): AuditCheck => {
  const schema = `"${database.settings.schema}"`
  const hash = `${merchantKeyHash(schema, "t", "payment_id")} = ${merchantKeyHash(schema, "p", "id")}`
  return movedAsPaid(database, {
    such: database.sql`with given as materialized (select p.* from ${payments} p)`,
    payments: database.sql.literal("given"),
    isNamed: `${hash} and ${named}`
  })
}
