import { type Receipt, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import type { ChainHead } from "@surety/core/consent/receipt/ReceiptChain"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { type Effect, Schema, SchemaTransformation } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** A receipt's position in its chain, stored as `bigint`. */
const sequence = Schema.BigInt.pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform<number, bigint>({ decode: Number, encode: BigInt }))
)

const ReceiptRow = Schema.Struct({
  id: Column.receiptId,
  merchantId: Column.merchantId,
  environment: Environment,
  userId: UserId,
  body: Schema.String,
  sequence,
  previousHash: ReceiptHash,
  hash: ReceiptHash
})

export const columns = `p.id, p.merchant_id as "merchantId", p.environment, p.user_id as "userId", p.body, p.sequence,
  p.previous_hash as "previousHash", p.hash`

export const decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Receipt>, Schema.SchemaError> =
  Schema.decodeUnknownEffect(Schema.Array(ReceiptRow))

export const decodeHeads: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<ChainHead>, Schema.SchemaError> = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ sequence, hash: ReceiptHash }))
)
