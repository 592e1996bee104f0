import type { RateLimit } from "./RateLimit.js"
import type { RateVerdict } from "./RateLimiter.js"
import type { Demand, Grant } from "./TokenBucket.js"

/** How long tokens may be held unused. */
export const heldForMillis = 10_000

/** A process holds at most this part of a burst, and one token at least. */
const heldPart = 1 / 20

const firstPortion = 4

/** How long an empty bucket is left alone at most before it is asked again, so that refusals cost the store little. */
const pauseMillis = 50

/** What a process holds of a shared bucket. Changed in place: this is on every request's way. */
export interface HeldTokens {
  limit: RateLimit
  readonly key: string
  tokens: number
  /** How many tokens were spent since the last grant. */
  spent: number
  /** How many tokens to hold: about what is spent while they may be held. */
  portion: number
  grantedAtMillis: number
  /** What the bucket had left when it gave last. */
  remaining: number
  /** Between these two moments nothing is to be had. */
  emptyFromMillis: number
  emptyUntilMillis: number
}

/** The most tokens that a process holds unused: how far a limit may be overshot for each process, after a pause. */
export const mostHeld = ({ burst }: RateLimit): number => Math.max(1, Math.floor(burst * heldPart))

export const none = (limit: RateLimit, key: string): HeldTokens => ({
  limit,
  key,
  tokens: 0,
  spent: 0,
  portion: Math.min(firstPortion, mostHeld(limit)),
  grantedAtMillis: Number.NEGATIVE_INFINITY,
  remaining: 0,
  emptyFromMillis: 0,
  emptyUntilMillis: 0
})

/** A clock that was set back says nothing of how long tokens were held: they are given up then. */
const isStale = ({ grantedAtMillis }: HeldTokens, nowMillis: number): boolean =>
  nowMillis - grantedAtMillis >= heldForMillis || nowMillis < grantedAtMillis

/** Whether the bucket is known to be empty. A clock that was set back ends that knowledge. */
export const isEmpty = ({ emptyFromMillis, emptyUntilMillis, tokens }: HeldTokens, nowMillis: number): boolean =>
  tokens === 0 && emptyFromMillis <= nowMillis && nowMillis < emptyUntilMillis

/** Whether nothing is known that is worth keeping. */
export const isForgettable = (held: HeldTokens, nowMillis: number): boolean =>
  isStale(held, nowMillis) && !isEmpty({ ...held, tokens: 0 }, nowMillis)

const passed = (held: HeldTokens, nowMillis: number): RateVerdict => {
  const { grantedAtMillis, limit, remaining, tokens } = held
  const since = remaining + ((nowMillis - grantedAtMillis) / 1000) * limit.perSecond
  const left = Math.min(limit.burst, Math.floor(tokens + since))
  return {
    limit,
    isAllowed: true,
    remaining: left,
    resetMillis: Math.ceil(((limit.burst - left) / limit.perSecond) * 1000)
  }
}

/** What a request is told that finds the bucket empty. */
export const refused = ({ emptyUntilMillis, limit }: HeldTokens, nowMillis: number): RateVerdict => ({
  limit,
  isAllowed: false,
  remaining: 0,
  resetMillis: emptyUntilMillis - nowMillis
})

/** Spends a token that is held, or refuses where the bucket is known to be empty; `undefined` where it must be asked. */
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

/** Whether to ask for more before the last token is spent, so that nobody waits. Not for the few of a rare client. */
export const isLow = ({ emptyUntilMillis, portion, tokens }: HeldTokens, nowMillis: number): boolean =>
  portion >= firstPortion && tokens * 4 < portion && nowMillis >= emptyUntilMillis

/** What to ask of the bucket when so many requests wait. */
export const demandOf = ({ portion, tokens }: HeldTokens, waiting: number): Demand => ({
  needed: waiting,
  wanted: waiting + Math.max(0, portion - tokens)
})

/**
 * Takes over what the bucket gave when `needed` were waited for. Who spends a portion before it is stale holds twice as
 * much from then on.
 */
export const receive = (held: HeldTokens, grant: Grant, needed: number, nowMillis: number): void => {
  const most = mostHeld(held.limit)
  if (!isStale(held, nowMillis) && held.spent * 2 >= held.portion) held.portion *= 2
  held.portion = Math.min(held.portion, most)
  held.tokens += grant.tokens
  held.spent = 0
  held.grantedAtMillis = nowMillis
  held.remaining = grant.remaining
  if (grant.waitMillis > 0 || grant.tokens < needed) {
    const refillMillis = (most / held.limit.perSecond) * 1000
    held.emptyFromMillis = nowMillis
    held.emptyUntilMillis = nowMillis + Math.ceil(Math.max(1, grant.waitMillis, Math.min(pauseMillis, refillMillis)))
  }
}
