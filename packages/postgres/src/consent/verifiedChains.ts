import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import { toUuid } from "@surety/core/Ids"
import { Array as Arr, Effect, Schema } from "effect"
import type { Database } from "../sql/Database.js"
import * as ReceiptRow from "./ReceiptRow.js"

const decodeMayKeep = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ mayKeep: Schema.Boolean })]))

/**
 * Creates the operations that read and store how far each chain of receipts has been verified. Storing is a no-op in a
 * read-only transaction, and for a role that may not write the table.
 */
export const makeVerifiedChains = ({
  name,
  nameText,
  sql,
  verb
}: Database): Pick<ConsentLog["Service"], "verifiedEnd" | "keepVerifiedEnd"> => ({
  verifiedEnd: Effect.fn("PgConsentLog.verifiedEnd")(function* ({ environment, merchantId }) {
    const rows = yield* sql`
      select p.sequence, p.hash from ${name("verified_chain")} p
      where p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}`
    return Arr.head(yield* ReceiptRow.decodeHeads(rows))
  }, verb("ConsentLog.verifiedEnd")),

  keepVerifiedEnd: Effect.fn("PgConsentLog.keepVerifiedEnd")(function* ({ environment, merchantId }, end) {
    const chains = nameText("verified_chain")
    const [{ mayKeep }] = yield* Effect.flatMap(
      sql`select current_setting('transaction_read_only') = 'off'
        and has_table_privilege(${chains}, 'insert') and has_table_privilege(${chains}, 'update') as "mayKeep"`,
      decodeMayKeep
    )
    if (!mayKeep) return
    yield* sql`
      insert into ${name("verified_chain")} (merchant_id, environment, sequence, hash)
      values (${toUuid(merchantId)}, ${environment}, ${end.sequence}, ${end.hash})
      on conflict (merchant_id, environment) do update set sequence = excluded.sequence, hash = excluded.hash`
  }, verb("ConsentLog.keepVerifiedEnd"))
})
