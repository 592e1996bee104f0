import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import { toUuid } from "@surety/core/Ids"
import { DateTime } from "effect"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/**
 * Builds SQL that, if `stored` has a row, blocks a merchant from asking a person. A block in force stays unchanged,
 * except that `NOT_ME` replaces `STOP_ASKING`.
 */
export const blocking = ({ name, sql }: Database, block: AskingBlock): Fragment => sql`
      insert into ${name("asking")} as a (
        merchant_id, environment, user_id, version, block_reason, block_request_id, blocked_at
      )
      select ${toUuid(block.merchantId)}::uuid, ${block.environment}::text, ${block.userId}::text, 1,
        ${block.reason}::text, ${toUuid(block.dataRequestId)}::uuid, ${DateTime.toDate(block.blockedAt)}::timestamptz
      from stored
      on conflict (user_id, merchant_id, environment) do update
        set version = a.version + 1, block_reason = excluded.block_reason,
          block_request_id = excluded.block_request_id, blocked_at = excluded.blocked_at, lifted_at = null
        where a.blocked_at is null or a.lifted_at is not null
          or (a.block_reason = 'STOP_ASKING' and excluded.block_reason = 'NOT_ME')`

export const commitBlock = (database: Database, block: AskingBlock): Statement<unknown> =>
  database.sql`with stored as (select 1) ${blocking(database, block)}`

/**
 * Builds the statement that lifts a block in force and returns its reason. With `reason`, lifts only a block with that
 * reason.
 */
export const commitLift = (
  { name, sql }: Database,
  ...[{ environment, merchantId }, userId, at, reason]: Parameters<ConsentStore["Service"]["liftBlock"]>
): Statement<unknown> => sql`
  update ${name("asking")} a set version = a.version + 1, lifted_at = ${DateTime.toDate(at)}
  where a.user_id = ${userId} and a.merchant_id = ${toUuid(merchantId)} and a.environment = ${environment}
    and a.blocked_at is not null and a.lifted_at is null
    and a.block_reason = coalesce(${reason ?? null}::text, a.block_reason)
  returning a.block_reason as reason`
