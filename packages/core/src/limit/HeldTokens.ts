import type { RateLimit } from "./RateLimit.js"
import type { RateVerdict } from "./RateLimiter.js"
import type { Demand, Portion } from "./TokenBucket.js"

/** Time from the last lease until unspent tokens become stale. Stale tokens are dropped, not spent. */
export const heldForMillis = 10_000

/** Largest share of a burst that one process holds. A process may always hold one token. */
const heldPart = 1 / 20

const firstPortion = 4

/**
 * Pause before retrying an empty bucket, so that rejections cost the store little. The pause is shorter if the bucket
 * refills `mostHeld` tokens sooner, and longer if the store reports a longer wait.
 */
const pauseMillis = 50

/** Tokens of a shared bucket that this process holds. Mutable, to keep the cost per request low. */
export interface HeldTokens {
  limit: RateLimit
  readonly key: string
  tokens: number
  /** Tokens spent since the last lease. */
  spent: number
  /** Number of tokens to hold: about as many as the client spends before they go stale, but at most `mostHeld`. */
  portion: number
  leasedAtMillis: number
  /** Tokens left in the bucket after the last lease. */
  remaining: number
  /** The bucket counts as empty from `emptyFromMillis` until `emptyUntilMillis`. */
  emptyFromMillis: number
  emptyUntilMillis: number
}

/**
 * Returns the maximum number of unused tokens that a process holds. When a client resumes after a pause, each process
 * may exceed the limit by this number.
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

/** Tokens also count as stale if the clock was set back, since their age is then unknown. */
const isStale = ({ leasedAtMillis }: HeldTokens, nowMillis: number): boolean =>
  nowMillis - leasedAtMillis >= heldForMillis || nowMillis < leasedAtMillis

/** Returns true if requests are rejected without asking the store. */
export const isEmpty = ({ emptyFromMillis, emptyUntilMillis, tokens }: HeldTokens, nowMillis: number): boolean =>
  tokens === 0 && emptyFromMillis <= nowMillis && nowMillis < emptyUntilMillis

/** Returns true if `held` can be dropped: its tokens are stale, and the bucket does not count as empty. */
export const isForgettable = (held: HeldTokens, nowMillis: number): boolean =>
  isStale(held, nowMillis) && !isEmpty({ ...held, tokens: 0 }, nowMillis)

/**
 * Returns the number of tokens available to the client at `nowMillis`, including held ones. Assumes that other
 * processes took none since the last lease.
 */
export const mostLeft = ({ leasedAtMillis, limit, remaining, tokens }: HeldTokens, nowMillis: number): number => {
  const since = remaining + ((nowMillis - leasedAtMillis) / 1000) * limit.perSecond
  return Math.min(limit.burst, Math.floor(tokens + since))
}

const passed = (held: HeldTokens, nowMillis: number): RateVerdict => {
  const { limit } = held
  const left = mostLeft(held, nowMillis)
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

const dropStale = (held: HeldTokens, nowMillis: number): void => {
  if (held.tokens === 0 || !isStale(held, nowMillis)) return
  held.portion = Math.min(mostHeld(held.limit), Math.max(1, held.spent))
  held.tokens = 0
}

/**
 * Drops stale tokens. Then spends a held token, or rejects the request if the bucket counts as empty. `undefined` if
 * neither is possible and the store must be called.
 */
export const spend = (held: HeldTokens, nowMillis: number): RateVerdict | undefined => {
  dropStale(held, nowMillis)
  if (held.tokens > 0) {
    held.tokens -= 1
    held.spent += 1
    return passed(held, nowMillis)
  }
  return isEmpty(held, nowMillis) ? refused(held, nowMillis) : undefined
}

/**
 * Spends the tokens leased for `count` interrupted requests. Otherwise the process would hold more tokens than
 * `mostHeld`, and a client could prevent its requests from being counted.
 */
export const spendLeft = (held: HeldTokens, count: number): void => {
  const spent = Math.min(held.tokens, count)
  held.tokens -= spent
  held.spent += spent
}

/**
 * Returns true if less than a quarter of the portion is left. More tokens should then be leased before a request has to
 * wait. Returns false for a portion of less than `firstPortion`, and while the bucket counts as empty.
 */
export const isLow = ({ emptyUntilMillis, portion, tokens }: HeldTokens, nowMillis: number): boolean =>
  portion >= firstPortion && tokens * 4 < portion && nowMillis >= emptyUntilMillis

/** Returns the demand for tokens: one for each of `waiting` requests, plus those missing from a full portion. */
export const demandOf = ({ portion, tokens }: HeldTokens, waiting: number): Demand => ({
  needed: waiting,
  wanted: waiting + Math.max(0, portion - tokens)
})

/**
 * Drops stale tokens, then adds leased ones, of which up to `needed` are for waiting requests. Doubles the portion, up
 * to `mostHeld`, if at least half of it was spent and the previous lease is not stale. Marks the bucket as empty if it
 * has no token left or the lease was smaller than `needed`.
 */
export const receive = (held: HeldTokens, leased: Portion, needed: number, nowMillis: number): void => {
  const most = mostHeld(held.limit)
  dropStale(held, nowMillis)
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
