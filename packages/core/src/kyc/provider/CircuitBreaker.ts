import { DateTime, type Duration } from "effect"

/** When the breaker opens, and for how long. */
export interface BreakerPolicy {
  /** Number of consecutive failures that open the breaker. */
  readonly failures: number
  /** How long the breaker stays open before it lets one probe through. */
  readonly openFor: Duration.Duration
}

/**
 * `Closed`: calls pass. `Open`: calls are rejected until `until`. `Trying`: a probe is in flight; other calls are
 * rejected until a call's result changes the state or `until` passes.
 */
export type BreakerState =
  | { readonly _tag: "Closed"; readonly failures: number }
  | { readonly _tag: "Open"; readonly until: DateTime.Utc }
  | { readonly _tag: "Trying"; readonly until: DateTime.Utc }

export const closed: BreakerState = { _tag: "Closed", failures: 0 }

/**
 * Returns whether a call may be made now, and the state after that decision. A call admitted once `until` has passed is
 * a probe and changes the state to `Trying`.
 */
export const admit = (
  state: BreakerState,
  policy: BreakerPolicy,
  now: DateTime.Utc
): { readonly isAdmitted: boolean; readonly state: BreakerState } => {
  if (state._tag === "Closed") return { isAdmitted: true, state }
  if (DateTime.isGreaterThan(state.until, now)) return { isAdmitted: false, state }
  return { isAdmitted: true, state: { _tag: "Trying", until: DateTime.addDuration(now, policy.openFor) } }
}

/**
 * Returns the state after a failed call. A failure in `Trying` opens the breaker again. While the breaker is open, the
 * failure of a call that began earlier does not extend the open time.
 */
export const afterFailure = (state: BreakerState, policy: BreakerPolicy, now: DateTime.Utc): BreakerState => {
  const open: BreakerState = { _tag: "Open", until: DateTime.addDuration(now, policy.openFor) }
  switch (state._tag) {
    case "Closed":
      return state.failures + 1 < policy.failures ? { _tag: "Closed", failures: state.failures + 1 } : open
    case "Trying":
      return open
    case "Open":
      return state
  }
}

/**
 * Returns the state after a call that gave no evidence of the provider's health. `admitted` is the state that `admit`
 * returned. If the call was the probe in flight, the next call may be the probe. Otherwise nothing changes.
 */
export const afterNoEvidence = (state: BreakerState, admitted: BreakerState, now: DateTime.Utc): BreakerState =>
  state._tag === "Trying" && state === admitted ? { _tag: "Open", until: now } : state

/** The state after a successful call: closed, even if the call was made before the breaker opened. */
export const afterSuccess: BreakerState = closed
