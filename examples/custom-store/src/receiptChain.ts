import { createHash } from "node:crypto"
import { Receipt, type ReceiptDraft, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { type ChainHead, genesis, headAt } from "@surety/core/consent/receipt/ReceiptChain"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Sql } from "./Database.ts"
import { integer, storedRecord } from "./StoredRecord.ts"

export const receipts = storedRecord(Receipt)

/** Where the chain of the merchant and environment ends. */
export const chainEnd = (sql: Sql, { environment, merchantId }: MerchantScope): ChainHead => {
  const row = sql.get`
    select sequence, hash from receipt_chain where merchant_id = ${merchantId} and environment = ${environment}`
  return row === undefined
    ? genesis
    : { sequence: Number(integer(row.sequence)), hash: ReceiptHash.make(String(row.hash)) }
}

/** Makes the receipt the next link of its chain. */
export const appendReceipt = (sql: Sql, draft: ReceiptDraft): void => {
  const end = chainEnd(sql, draft)
  const hash = createHash("sha256").update(end.hash).update(draft.body).digest("hex")
  const receipt: Receipt = {
    ...draft,
    sequence: end.sequence + 1,
    previousHash: end.hash,
    hash: ReceiptHash.make(hash)
  }
  const head = headAt(receipt)
  sql.run`insert into consent_receipt (record) values (${receipts.text(receipt)})`
  sql.run`
    insert into receipt_chain (merchant_id, environment, sequence, hash)
    values (${draft.merchantId}, ${draft.environment}, ${head.sequence}, ${head.hash})
    on conflict (merchant_id, environment) do update set sequence = excluded.sequence, hash = excluded.hash`
}
