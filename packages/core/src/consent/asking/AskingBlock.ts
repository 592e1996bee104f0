import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, MerchantId, UserId } from "../../Ids.js"

/** What a person said: this is not for me, or this merchant is to stop asking me. */
export const AskingBlockReason = Schema.Literals(["NOT_ME", "STOP_ASKING"])
export type AskingBlockReason = typeof AskingBlockReason.Type

/** Keeps a merchant from asking a person until the operator lifts it. One for a merchant, environment and person. */
export const AskingBlock = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  reason: AskingBlockReason,
  /** The request on which the person said so. */
  dataRequestId: DataRequestId,
  blockedAt: Schema.DateTimeUtc,
  /** Absent while the block is in force. */
  liftedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type AskingBlock = typeof AskingBlock.Type

/** Whether the merchant may not ask. */
export const isBlocking = (block: AskingBlock | undefined): boolean =>
  block !== undefined && block.liftedAt === undefined
