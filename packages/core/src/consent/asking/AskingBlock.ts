import { type DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, MerchantId, UserId } from "../../Ids.js"
import type { ConsentActor } from "../ConsentActor.js"
import type { DataRequest } from "../request/DataRequest.js"

/**
 * Why a merchant may not ask a person. `NOT_ME`: the request was not for the person, or they do not know the merchant.
 * `STOP_ASKING`: the person wants no further requests from it.
 */
export const AskingBlockReason = Schema.Literals(["NOT_ME", "STOP_ASKING"])
export type AskingBlockReason = typeof AskingBlockReason.Type

/**
 * While in force, stops a merchant from asking a person. In TEST, it stops new requests only if the person has
 * `askLimits`. At most one exists per merchant, environment and person, in force or lifted.
 */
export const AskingBlock = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  reason: AskingBlockReason,
  /** The request that prompted the block. */
  dataRequestId: DataRequestId,
  blockedAt: Schema.DateTimeUtc,
  /** Absent while the block is in force. */
  liftedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type AskingBlock = typeof AskingBlock.Type

/** Builds the block that stops the request's merchant from asking the same person again. */
export const blockOf = (
  { environment, id, merchantId, serviceId, userId }: DataRequest,
  reason: AskingBlockReason,
  blockedAt: DateTime.Utc
): AskingBlock => ({ merchantId, environment, userId, serviceId, reason, dataRequestId: id, blockedAt })

/** Returns true if `block` is defined and in force. */
export const isBlocking = (block: AskingBlock | undefined): boolean =>
  block !== undefined && block.liftedAt === undefined

/**
 * Returns true if a block stops this actor from approving or granting. After `STOP_ASKING` the person may still approve
 * through a link they have. After `NOT_ME` no one may approve or grant.
 */
export const stopsConsent = (blockedAs: AskingBlockReason | undefined, { kind }: ConsentActor): boolean =>
  blockedAs === "NOT_ME" || (blockedAs === "STOP_ASKING" && kind !== "PERSON")
