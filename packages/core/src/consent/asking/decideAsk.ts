import { DateTime, Duration, Schema } from "effect"
import { type AskingBlock, isBlocking } from "./AskingBlock.js"
import { type AskLimits, askDay } from "./AskLimits.js"

/** The person has blocked this merchant's requests, or processing of the person's details is restricted. */
export class AskingBlocked extends Schema.TaggedError<AskingBlocked>(
  "@surety/core/consent/asking/decideAsk/AskingBlocked"
)("AskingBlocked", {}) {
  override get message(): string {
    return "The person has blocked requests from this merchant."
  }
}

/** The merchant has too many pending requests to this person, or made too many in the last 24 hours. */
export class AskedTooOften extends Schema.TaggedError<AskedTooOften>(
  "@surety/core/consent/asking/decideAsk/AskedTooOften"
)("AskedTooOften", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The merchant has asked this person too often; retry in ${this.retryAfterSeconds} s.`
  }
}

/** The person recently denied the same fields for the same purpose. */
export class AskedRecently extends Schema.TaggedError<AskedRecently>(
  "@surety/core/consent/asking/decideAsk/AskedRecently"
)("AskedRecently", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The person denied the same request recently; retry in ${this.retryAfterSeconds} s.`
  }
}

export type AskRefused = AskingBlocked | AskedTooOften | AskedRecently

/** Data for the limits on asking: the merchant's earlier requests to the person, and the last block. */
export interface AskingHistory {
  /** The last block between the merchant and the person, in force or lifted. */
  readonly block: AskingBlock | undefined
  /** Expiry of each pending request. */
  readonly openUntil: ReadonlyArray<DateTime.Utc>
  /**
   * Creation times of the requests in the last `askDay`. Omits requests that grants covered, because they asked no one.
   */
  readonly madeAt: ReadonlyArray<DateTime.Utc>
  /** When the same fields were last denied for the same purpose. */
  readonly deniedAt: DateTime.Utc | undefined
}

/** Returns true if two lists of distinct fields contain the same fields, in any order. */
export const isSameSet = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((field) => other.includes(field))

/**
 * Returns the earliest time at which fewer than `most` of `moments` are still in the future. All `moments` must be in
 * the future. Undefined if there are fewer than `most`, or if `most` is 0.
 */
const freeAt = (moments: ReadonlyArray<DateTime.Utc>, most: number): DateTime.Utc | undefined =>
  most === 0 ? undefined : [...moments].sort(DateTime.Order)[moments.length - most]

const isLater = (one: DateTime.Utc | undefined, other: DateTime.Utc): one is DateTime.Utc =>
  one !== undefined && DateTime.isGreaterThan(one, other)

/**
 * Returns why a merchant may not ask a person now, or `undefined` if it may (contract 7). `retryAfterSeconds` is the
 * time until every limit allows the request. Denials before the last block was lifted do not count.
 */
export const askingRefusal = (
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
  // Clock skew between nodes can date a denial slightly in the future. With the limit off, such a denial must not
  // count.
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
