import { type AskingBlockReason, stopsConsent } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { type MerchantId, toUuid } from "@surety/core/Ids"
import { openStatuses } from "@surety/core/merchant/Merchant"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"

/**
 * Whether the `asking` row `a` has a block that applies to a request made at that moment, a timestamp or null. In TEST
 * without bounds on asking, a block stops only earlier requests. Null means no.
 */
export const isStopped = ({ name, sql }: Database, askedAt: Fragment): Fragment => sql`(
    a.blocked_at is not null and a.lifted_at is null and (
      a.environment = 'LIVE' or a.blocked_at >= ${askedAt} or (
        select c.ask_limits from ${name("consumer")} c where c.environment = a.environment and c.id = a.user_id
      )
    )
  )`

/** Whether a person's details may be processed: they are neither restricted nor erased. */
export const isUnrestricted = (
  { name, sql }: Database,
  { environment, userId }: Pick<Grant, "environment" | "userId">
): Fragment => sql`exists (
    select 1 from ${name("consumer")} c
    where c.environment = ${environment} and c.id = ${userId} and c.restricted_at is null
  )`

const reasons = ["NOT_ME", "STOP_ASKING"] as const satisfies ReadonlyArray<AskingBlockReason>

/** Whether the block of the `asking` row `a` stops this actor from giving a consent. */
const stopsActor = ({ sql }: Database, actor: ConsentActor): Fragment =>
  sql`a.block_reason = any (${PgArray.texts(reasons.filter((reason) => stopsConsent(reason, actor)))})`

/** The merchant's row as `receiver`. Its shared lock waits for a change of status, and then sees it. */
export const receiver = ({ name, sql }: Database, merchantId: MerchantId): Fragment => sql`receiver as materialized (
      select m.status from ${name("merchant")} m where m.id = ${toUuid(merchantId)} for share of m
    )`

/** Whether the `receiver` may get consents: it is neither REJECTED nor CLOSED. */
export const mayReceive = ({ sql }: Database): Fragment =>
  sql`exists (select 1 from receiver where receiver.status = any (${PgArray.texts(openStatuses)}))`

/**
 * The `asking` row of a merchant and a person, locked until the commit, and whether its block `stops` the approval of
 * what was asked at that moment. A denial that blocks locks the same row first: of both at once one waits for the other,
 * and none for a lock that the other holds already. The row exists, since the request has made it.
 */
export const heldAsking = (
  database: Database,
  { environment, merchantId, userId }: Pick<Grant, "environment" | "merchantId" | "userId">,
  approval: { readonly by: ConsentActor; readonly askedAt: Date | null } | undefined
): Fragment => {
  const { name, sql } = database
  const stops =
    approval === undefined
      ? sql.literal("false")
      : sql`coalesce(${isStopped(database, sql`${approval.askedAt}::timestamptz`)} and ${stopsActor(database, approval.by)}, false)`
  return sql`select ${stops} as stops from ${name("asking")} a
      where a.user_id = ${userId} and a.merchant_id = ${toUuid(merchantId)} and a.environment = ${environment}
      for no key update of a`
}

/**
 * The same row for a grant without a request to the `receiver`, made if it is missing. No row if a block stops it. A row that was
 * made meanwhile, and not `held`, may have no block at all: Citus runs no query in a condition of `on conflict`, so the new row's version says whether it was.
 */
export const freeAsking = (
  database: Database,
  { environment, merchantId, userId }: Pick<Grant, "environment" | "merchantId" | "userId">
): Fragment => {
  const { name, sql } = database
  return sql`
      insert into ${name("asking")} as a (merchant_id, environment, user_id, version)
      select ${toUuid(merchantId)}::uuid, ${environment}::text, ${userId}::text, (select count(*) from held)
      where ${mayReceive(database)} and (select count(*) from held where held.stops) = 0
      on conflict (user_id, merchant_id, environment) do update set version = a.version
        where a.blocked_at is null or a.lifted_at is not null or excluded.version = 1
      returning 1`
}
