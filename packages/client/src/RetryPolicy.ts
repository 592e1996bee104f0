import type { Failure } from "./Outcome.js"
import { hasEffect, isRepeatable, type Route } from "./Route.js"

/** Statuses that say nothing about whether the request was done. */
const unclear = new Set([408, 500, 502, 503, 504])

const baseMillis = 500
const largestMillis = 8_000
/** A longer `Retry-After` is the caller's to wait for. */
const longestRetryAfterMillis = 60_000

const isInProgress = (failure: Failure): boolean =>
  failure.kind === "problem" && failure.status === 409 && failure.problem.code === "idempotency_in_progress"

/** Whether another attempt can help, and cannot do anything twice. */
const mayRetry = (failure: Failure, route: Route): boolean => {
  switch (failure.kind) {
    case "aborted":
      return false
    case "timeout":
      return !failure.deadline && isRepeatable(route)
    case "silence":
      return failure.notSent || isRepeatable(route)
    default:
      // Who is told to slow down was not let in.
      if (failure.status === 429) return true
      return isRepeatable(route) && mayBeTransient(failure)
  }
}

const mayBeTransient = (failure: Extract<Failure, { readonly status: number }>): boolean =>
  unclear.has(failure.status) || isInProgress(failure) || (failure.kind === "unexpected" && failure.garbled)

/**
 * How long to wait before the next attempt; `undefined` for none. Full jitter below a doubling bound; where the
 * service says when to come again, not before that, and spread a little so that not all come at once.
 */
export const retryDelay = (
  failure: Failure,
  route: Route,
  /** How many attempts there were. */
  attempts: number,
  /** From 0 to 1. */
  random: number
): number | undefined => {
  if (!mayRetry(failure, route)) return undefined
  const askedMillis = "retryAfterMillis" in failure ? failure.retryAfterMillis : undefined
  if (askedMillis === undefined) return random * Math.min(largestMillis, baseMillis * 2 ** (attempts - 1))
  return askedMillis > longestRetryAfterMillis ? undefined : askedMillis + random * baseMillis
}

/** What a failure tells of whether the request was done: certainly not, or not known. */
export const mayHaveTakenEffect = (failure: Failure, route: Route): boolean => {
  if (!hasEffect(route)) return false
  switch (failure.kind) {
    case "timeout":
      return true
    case "silence":
    case "aborted":
      return !failure.notSent
    default:
      // A success that cannot be read may well be one.
      return mayBeTransient(failure) || failure.status < 300
  }
}

/**
 * Whether a failure settles what earlier, lost answers left open. With an idempotency key a refusal does: had an
 * earlier attempt been done, its answer would have come again.
 */
export const settlesTheOutcome = (failure: Failure, route: Route): boolean =>
  route.keyed === true && failure.kind === "problem" && failure.status !== 429 && !mayBeTransient(failure)
