import type { RateLimit } from "./RateLimit.js"
import type { RateVerdict } from "./RateLimiter.js"
import type { Demand, Portion } from "./TokenBucket.js"

/** Longest time that tokens may be held unused. */
export const heldForMillis = 10_000

/** Largest share of a burst held by one process, which may always hold one token. */
const heldPart = 1 / 20

const firstPortion = 4

/** Longest pause before retrying an empty bucket, so that rejections cost the store little. */
const pauseMillis = 50

/** Tokens of a shared bucket held by this process. Mutable, since every request uses it. */
export interface HeldTokens {
  limit: RateLimit
  readonly key: string
  tokens: number
  /** Tokens spent since the last lease. */
  spent: number
  /** Number of tokens to hold: about as many as are spent before they go stale. */
  portion: number
  leasedAtMillis: number
  /** Tokens left in the bucket after the last lease. */
  remaining: number
  /** The bucket is empty between these times. */
  emptyFromMillis: number
  emptyUntilMillis: number
}

/**
 * Returns the maximum number of unused tokens held by a process. After a pause, each process may exceed a limit by this
 * many.
 */
export const mostHeld = ({ burst }: RateLimit): number => Math.max(1, Math.floor(burst * heldPart))

export const none = (limit: RateLimit, key: string): HeldTokens => ({
  limit,
  key,
  tokens: 0,
  spent: 0,
  portion: Math.min(firstPortion, mostHeld(limit)),
  leasedAtMillis: Number.NEGATIVE_INFINITY,
  remaining: 0,
  emptyFromMillis: 0,
  emptyUntilMillis: 0
})

/** Tokens are also dropped if the clock was set back, since how long they were held is then unknown. */
const isStale = ({ leasedAtMillis }: HeldTokens, nowMillis: number): boolean =>
  nowMillis - leasedAtMillis >= heldForMillis || nowMillis < leasedAtMillis

/** Returns true if the bucket is known to be empty. After the clock was set back, that is unknown. */
export const isEmpty = ({ emptyFromMillis, emptyUntilMillis, tokens }: HeldTokens, nowMillis: number): boolean =>
  tokens === 0 && emptyFromMillis <= nowMillis && nowMillis < emptyUntilMillis

/** Returns true if nothing here is worth keeping. */
export const isForgettable = (held: HeldTokens, nowMillis: number): boolean =>
  isStale(held, nowMillis) && !isEmpty({ ...held, tokens: 0 }, nowMillis)

const passed = (held: HeldTokens, nowMillis: number): RateVerdict => {
  const { leasedAtMillis, limit, remaining, tokens } = held
  const since = remaining + ((nowMillis - leasedAtMillis) / 1000) * limit.perSecond
  const left = Math.min(limit.burst, Math.floor(tokens + since))
  return {
    limit,
    isAllowed: true,
    remaining: left,
    resetMillis: Math.ceil(((limit.burst - left) / limit.perSecond) * 1000)
  }
}

/** Returns the verdict on a request that finds the bucket empty. */
export const refused = ({ emptyUntilMillis, limit }: HeldTokens, nowMillis: number): RateVerdict => ({
  limit,
  isAllowed: false,
  remaining: 0,
  resetMillis: emptyUntilMillis - nowMillis
})

/** Spends a held token, or rejects if the bucket is known to be empty. `undefined` if the store must be called. */
export const spend = (held: HeldTokens, nowMillis: number): RateVerdict | undefined => {
  if (held.tokens > 0 && isStale(held, nowMillis)) {
    held.portion = Math.max(1, held.spent)
    held.tokens = 0
  }
  if (held.tokens > 0) {
    held.tokens -= 1
    held.spent += 1
    return passed(held, nowMillis)
  }
  return isEmpty(held, nowMillis) ? refused(held, nowMillis) : undefined
}

/**
 * Returns true if more tokens should be leased before the last is spent, so that no request waits. False for an
 * infrequent client, which holds few.
 */
export const isLow = ({ emptyUntilMillis, portion, tokens }: HeldTokens, nowMillis: number): boolean =>
  portion >= firstPortion && tokens * 4 < portion && nowMillis >= emptyUntilMillis

/** Returns the demand for `waiting` requests. */
export const demandOf = ({ portion, tokens }: HeldTokens, waiting: number): Demand => ({
  needed: waiting,
  wanted: waiting + Math.max(0, portion - tokens)
})

/**
 * Adds tokens leased for `needed` waiting requests. Doubles the portion of a client that spends it before it goes
 * stale.
 */
export const receive = (held: HeldTokens, leased: Portion, needed: number, nowMillis: number): void => {
  const most = mostHeld(held.limit)
  if (!isStale(held, nowMillis) && held.spent * 2 >= held.portion) held.portion *= 2
  held.portion = Math.min(held.portion, most)
  held.tokens += leased.tokens
  held.spent = 0
  held.leasedAtMillis = nowMillis
  held.remaining = leased.remaining
  if (leased.waitMillis > 0 || leased.tokens < needed) {
    const refillMillis = (most / held.limit.perSecond) * 1000
    held.emptyFromMillis = nowMillis
    held.emptyUntilMillis = nowMillis + Math.ceil(Math.max(1, leased.waitMillis, Math.min(pauseMillis, refillMillis)))
  }
}
