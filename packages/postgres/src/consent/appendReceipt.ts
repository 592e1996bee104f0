import type { ReceiptDraft } from "@surety/core/consent/receipt/Receipt"
import { genesis } from "@surety/core/consent/receipt/ReceiptChain"
import { toUuid } from "@surety/core/Ids"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/**
 * The common table expressions that make a draft the next link of its chain once `when` has a row.
 *
 * The chain's end is one row, which the statement locks until its commit: whoever is next waits there, and goes on from
 * the end that was committed.
 */
export const appendReceipt = ({ name, sql }: Database, draft: ReceiptDraft | undefined, when: Fragment): Fragment => {
  if (draft === undefined) return sql.literal("")
  const { body, environment, id, merchantId, userId } = draft
  const hash = name("receipt_hash")
  return sql`,
  chain_end as (
    insert into ${name("receipt_chain_end")} as e (merchant_id, environment, sequence, previous_hash, hash)
    select ${toUuid(merchantId)}::uuid, ${environment}::text, ${genesis.sequence + 1}::bigint, ${genesis.hash}::text,
      ${hash}(${genesis.hash}::text, ${body}::text)
    from ${when}
    on conflict (merchant_id, environment) do update
      set sequence = e.sequence + 1, previous_hash = e.hash, hash = ${hash}(e.hash, ${body}::text)
    returning merchant_id, environment, sequence, previous_hash, hash
  ),
  receipt as (
    insert into ${name("consent_receipt")} (
      id, merchant_id, environment, user_id, sequence, body, previous_hash, hash
    )
    select ${toUuid(id)}::uuid, e.merchant_id, e.environment, ${userId}::text, e.sequence, ${body}::text,
      e.previous_hash, e.hash
    from chain_end e
  )`
}
