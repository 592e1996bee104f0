import type { Environment } from "@surety/core/Environment"
import { type MerchantId, toUuid } from "@surety/core/Ids"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, InnerError } from "../sql/Database.js"
import { firstUuidAt, lastUuid } from "../sql/listCursor.js"
import type { AuditCheck } from "./AuditCheck.js"
import { overtakenOf } from "./auditLedger.js"
import { consentKinds } from "./consentKinds.js"
import { operatorTransfers, refundedTotalsOf, refundTransfers, untoldRefunds } from "./moneyChecks.js"
import { moneyEventChecks } from "./moneyEvents.js"
import { paymentTransfersOf } from "./paymentChecks.js"
import { causelessConsentEvents } from "./spanChecks.js"
import { balancesOf } from "./verifiedSums.js"

/** A merchant's records of one kind, in the order of an index. */
export interface Walk {
  /** Builds SQL that selects the page of rows after a place, or the first page if the place is undefined. */
  readonly after: (place: ReadonlyArray<string> | undefined) => Fragment
  /** SQL expression for the place of the row `x`: an array of strings. */
  readonly place: string
  /** Builds the checks for a page of these rows. */
  readonly checks: (rows: Fragment) => Effect.Effect<ReadonlyArray<AuditCheck>, InnerError>
  /** Builds the checks that join the rows with other records of the same people, by a hash join. */
  readonly hashed?: (rows: Fragment) => ReadonlyArray<AuditCheck>
}

/** Maximum number of rows that one step of a merchant's audit checks. A shorter page ends its walk. */
export const pageSize = 2_000

const oneUuid = "array[x.id::text]"

/** Builds a page's `limit` as a literal, which also tells the planner how few rows a check begins with. */
const limit = ({ sql }: Database): Fragment => sql.literal(`limit ${pageSize}`)

const accounts = (database: Database, merchantId: MerchantId): Walk => {
  const { name, sql } = database
  return {
    after: (place) => sql`(
      select a.* from ${name("account")} a
      where a.merchant_id = ${toUuid(merchantId)}::uuid ${place === undefined ? sql`` : sql`and a.id > ${place[0]}::bigint`}
      order by a.id ${limit(database)}
    )`,
    place: oneUuid,
    checks: (rows) => Effect.succeed([balancesOf(database, rows)])
  }
}

const orders = (database: Database, merchantId: MerchantId): Walk => {
  const { name, sql } = database
  return {
    after: (place) => sql`(
      select o.* from ${name("operator_transfer")} o
      where o.merchant_id = ${toUuid(merchantId)}::uuid ${place === undefined ? sql`` : sql`and o.id > ${place[0]}::uuid`}
      order by o.id ${limit(database)}
    )`,
    place: oneUuid,
    checks: (rows) => Effect.succeed([operatorTransfers(database, rows)])
  }
}

/** Builds `after` for a table whose index orders a merchant's rows in an environment by id. */
const byId =
  ({ environmentIs, name, sql }: Database, merchantId: MerchantId, environment: Environment) =>
  (table: string, when: Fragment = sql``): Walk["after"] =>
  (place) =>
    sql`(
    select c.* from ${name(table)} c
    where c.merchant_id = ${toUuid(merchantId)}::uuid and ${environmentIs("c", environment)} ${when}
      ${place === undefined ? sql`` : sql`and c.id > ${place[0]}::uuid`}
    order by c.id ${sql.literal(`limit ${pageSize}`)}
  )`

const ofEnvironment = (database: Database, merchantId: MerchantId, environment: Environment): ReadonlyArray<Walk> => {
  const { environmentIs, name, sql } = database
  const rowsOf = byId(database, merchantId, environment)
  const byCreation: Pick<Walk, "after" | "place"> = {
    after: (place) => sql`(
      select v.* from ${name("verification")} v
      where v.merchant_id = ${toUuid(merchantId)}::uuid and ${environmentIs("v", environment)}
        ${place === undefined ? sql`` : sql`and (v.created_at, v.id) > (${place[0]}::timestamptz, ${place[1]}::uuid)`}
      order by v.created_at, v.id ${limit(database)}
    )`,
    place: "array[x.created_at::text, x.id::text]"
  }
  return [
    {
      after: rowsOf("refund"),
      place: oneUuid,
      checks: (rows) => Effect.succeed([refundTransfers(database, rows), untoldRefunds(database, rows)])
    },
    {
      after: rowsOf("event", sql`and c.test_for is null`),
      place: oneUuid,
      checks: (rows) =>
        Effect.map(moneyEventChecks(database, { merchantId, environment }, rows), (checks) => [
          ...checks,
          causelessConsentEvents(database, rows)
        ])
    },
    ...consentKinds.map(({ hashed, nested, table }) => ({
      ...(table === "verification" ? byCreation : { after: rowsOf(table), place: oneUuid }),
      checks: (rows: Fragment) => Effect.succeed(nested(database, rows)),
      hashed: (rows: Fragment) => [hashed(database, rows)]
    }))
  ]
}

/**
 * Builds the walks over all audited records of a merchant, except payments. Each page is found by an index that begins
 * with the merchant.
 */
export const merchantWalks = (database: Database, merchantId: MerchantId): ReadonlyArray<Walk> => [
  {
    ...accounts(database, merchantId),
    checks: (rows) =>
      Effect.succeed([
        balancesOf(database, rows),
        overtakenOf(
          database,
          database.sql`(select m.id from ${database.name("merchant")} m where m.id = ${toUuid(merchantId)}::uuid)`
        )
      ])
  },
  orders(database, merchantId),
  ...ofEnvironment(database, merchantId, "TEST"),
  ...ofEnvironment(database, merchantId, "LIVE")
]

/**
 * Builds the walk over the transfers that credit a settlement account. It checks the refunded totals and
 * the transfers of the payments named in them. Bounds instead of an equality let the planner read the index in order, however large the account is.
 */
export const paymentsWalk = (database: Database, account: bigint): Walk => {
  const { name, sql } = database
  return {
    after: (place) => sql`(
      select t.id, t.payment_id, t.merchant_id, t.environment from ${name("transfer")} t
      where (t.credit_account_id, t.id) > (${account}::bigint, ${place?.[0] ?? firstUuidAt(0)}::uuid)
        and (t.credit_account_id, t.id) <= (${account}::bigint, ${lastUuid}::uuid)
      order by t.credit_account_id, t.id ${limit(database)}
    )`,
    place: oneUuid,
    checks: (rows) => {
      const payments = sql`(
        select p.* from ${rows} t
        cross join lateral (
          select p.* from ${name("payment")} p
          where p.id = t.payment_id and p.merchant_id = t.merchant_id and p.environment = t.environment
          offset 0
        ) p
      )`
      return Effect.succeed([refundedTotalsOf(database, payments), paymentTransfersOf(database, payments)])
    }
  }
}
