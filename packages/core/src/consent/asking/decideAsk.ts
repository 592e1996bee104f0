import { DateTime, Duration, Schema } from "effect"
import type { DataRequest } from "../request/DataRequest.js"
import { type AskingBlock, isBlocking } from "./AskingBlock.js"
import { type AskLimits, askDay } from "./AskLimits.js"

/** The person does not want to be asked by this merchant. The operator lifts it. */
export class AskingBlocked extends Schema.TaggedError<AskingBlocked>(
  "@surety/core/consent/asking/decideAsk/AskingBlocked"
)("AskingBlocked", {}) {}

/** Too many requests of the merchant wait for this person, or were made in the last 24 hours. */
export class AskedTooOften extends Schema.TaggedError<AskedTooOften>(
  "@surety/core/consent/asking/decideAsk/AskedTooOften"
)("AskedTooOften", { retryAfterSeconds: Schema.Int }) {}

/** The person has denied the same fields for the same purpose a short while ago. */
export class AskedRecently extends Schema.TaggedError<AskedRecently>(
  "@surety/core/consent/asking/decideAsk/AskedRecently"
)("AskedRecently", { retryAfterSeconds: Schema.Int }) {}

export type AskRefused = AskingBlocked | AskedTooOften | AskedRecently

/** What a merchant has asked a person before. A bound that is off needs nothing, and its part may be empty. */
export interface AskingHistory {
  /** The last block between the two, in force or lifted. */
  readonly block: AskingBlock | undefined
  /** When each request that is pending now expires. */
  readonly openUntil: ReadonlyArray<DateTime.Utc>
  /** When each request of the last `askDay` was made. Those that grants covered at once asked nobody. */
  readonly madeAt: ReadonlyArray<DateTime.Utc>
  /** When the same question was last denied. */
  readonly deniedAt: DateTime.Utc | undefined
}

/** Whether a person was asked: a request that grants covered at once was decided by nobody. */
export const wasAsked = ({ decidedBy, status }: DataRequest): boolean =>
  !(status === "APPROVED" && decidedBy === undefined)

/** Whether two lists have the same distinct fields, in any order. */
export const isSameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((field) => other.includes(field))

/** When fewer than `most` of these moments still count; absent if that is so now. */
const freeAt = (moments: ReadonlyArray<DateTime.Utc>, most: number): DateTime.Utc | undefined =>
  most === 0 ? undefined : [...moments].sort(DateTime.Order)[moments.length - most]

const isLater = (one: DateTime.Utc | undefined, other: DateTime.Utc): one is DateTime.Utc =>
  one !== undefined && DateTime.isGreaterThan(one, other)

/**
 * Why a merchant may not ask a person now; absent if it may (contract 7). `retryAfterSeconds` is the time until no bound
 * refuses the request any more. A lifted block lets the merchant ask what was denied before the lift.
 */
export const refusalOf = (
  { block, deniedAt, madeAt, openUntil }: AskingHistory,
  { againAfter, open, perDay }: AskLimits,
  now: DateTime.Utc
): AskRefused | undefined => {
  if (isBlocking(block)) return new AskingBlocked()
  const tooOftenUntil = [
    freeAt(
      openUntil.filter((at) => DateTime.isGreaterThan(at, now)),
      open
    ),
    freeAt(
      madeAt.map((at) => DateTime.addDuration(at, askDay)).filter((at) => DateTime.isGreaterThan(at, now)),
      perDay
    )
  ].filter((at) => at !== undefined)
  // Clocks of nodes differ: a denial of the next moment counts only while there is a bound.
  const counts =
    !Duration.isZero(againAfter) &&
    deniedAt !== undefined &&
    (block?.liftedAt === undefined || isLater(deniedAt, block.liftedAt))
  const againAt = counts ? DateTime.addDuration(deniedAt, againAfter) : undefined
  const isRecent = isLater(againAt, now)
  const [until, ...others] = [...tooOftenUntil, ...(isRecent ? [againAt] : [])]
  if (until === undefined) return undefined
  const wait = DateTime.distance(now, others.reduce(DateTime.max, until))
  const retryAfterSeconds = Math.ceil(Duration.toSeconds(wait))
  return tooOftenUntil.length > 0 ? new AskedTooOften({ retryAfterSeconds }) : new AskedRecently({ retryAfterSeconds })
}
