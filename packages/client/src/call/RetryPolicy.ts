import type { Failure } from "../Outcome.js"
import { hasEffect, isRepeatable, type Route } from "../Route.js"

/**
 * Returns true if a status leaves open whether the request took effect. Every 5xx does: a proxy's 524, for example, says
 * only that the service has not responded in time.
 */
const isUnclear = (status: number): boolean => status === 408 || status >= 500

const baseMillis = 500
const largestMillis = 8_000
/** The longest `Retry-After` that a retry waits for. If the service asks for more, the call fails without a retry. */
const longestRetryAfterMillis = 60_000

const isInProgress = (failure: Failure): boolean =>
  failure.kind === "problem" && failure.status === 409 && failure.problem.code === "idempotency_in_progress"

/** Returns true if another attempt may help, and this attempt had no effect or the operation is repeatable. */
const mayRetry = (failure: Failure, route: Route): boolean => {
  switch (failure.kind) {
    case "aborted":
      return false
    case "timeout":
      return !failure.deadline && isRepeatable(route)
    case "silence":
      return failure.notSent || isRepeatable(route)
    default:
      // A rate-limited request had no effect, so any operation may be retried.
      if (failure.status === 429) return true
      return isRepeatable(route) && mayBeTransient(failure)
  }
}

const mayBeTransient = (failure: Extract<Failure, { readonly status: number }>): boolean =>
  isUnclear(failure.status) || isInProgress(failure) || (failure.kind === "unexpected" && failure.garbled)

/**
 * Returns the delay in milliseconds before the next attempt. Returns `undefined` if the request must not be retried or
 * `Retry-After` exceeds `longestRetryAfterMillis`. Without a `Retry-After`, the delay is random, below a bound that
 * doubles from 500 to 8,000. With one, the delay is that time plus up to 500, so clients do not retry together.
 */
export const retryDelay = (
  failure: Failure,
  route: Route,
  /** Number of attempts so far. */
  attempts: number,
  /** A random number from 0 to 1. */
  random: number
): number | undefined => {
  if (!mayRetry(failure, route)) return undefined
  const askedMillis = "retryAfterMillis" in failure ? failure.retryAfterMillis : undefined
  if (askedMillis === undefined) return random * Math.min(largestMillis, baseMillis * 2 ** (attempts - 1))
  return askedMillis > longestRetryAfterMillis ? undefined : askedMillis + random * baseMillis
}

/** Returns true unless the operation is a read or the failure shows that this attempt had no effect. */
export const mayHaveTakenEffect = (failure: Failure, route: Route): boolean => {
  if (!hasEffect(route)) return false
  switch (failure.kind) {
    case "timeout":
      return true
    case "silence":
    case "aborted":
      return !failure.notSent
    default:
      // A request whose success response is unreadable may still have taken effect.
      return mayBeTransient(failure) || failure.status < 300
  }
}

const statusesAtTheDoor = new Set([401, 403, 405, 406, 413, 415, 429])
const codesAtTheDoor = new Set(["invalid_json", "route_not_found"])

/**
 * Returns true if the service may have refused the request before it looked up the idempotency key. An earlier attempt
 * may have succeeded, for example before the API key was revoked, or at another release of the service, which knew a
 * field that this one faults.
 */
const isRefusedAtTheDoor = ({
  problem: { code, errors = [] },
  status
}: Extract<Failure, { kind: "problem" }>): boolean =>
  statusesAtTheDoor.has(status) || codesAtTheDoor.has(code) || errors.length > 0

/**
 * Returns true if a failure proves that no attempt took effect. A permanent rejection under an idempotency key is
 * proof, since the service would have replayed an earlier success. A refusal before the key was looked up is no proof.
 */
export const settlesTheOutcome = (failure: Failure, route: Route): boolean =>
  route.keyed === true && failure.kind === "problem" && !isRefusedAtTheDoor(failure) && !mayBeTransient(failure)
