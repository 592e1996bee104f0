import { DateTime, type Duration } from "effect"

/** When calls to somebody who fails are no longer made, and when they are tried again. */
export interface BreakerPolicy {
  /** So many failures in a row, without a success between them, open it. */
  readonly failures: number
  /** How long no call is made; then one is, to try. */
  readonly openFor: Duration.Duration
}

/**
 * `Closed`: calls are made. `Open`: none is until `until`. `Trying`: one call is out to try, and no other is made until
 * it is back, or until `until` when it never comes back.
 */
export type BreakerState =
  | { readonly _tag: "Closed"; readonly failures: number }
  | { readonly _tag: "Open"; readonly until: DateTime.Utc }
  | { readonly _tag: "Trying"; readonly until: DateTime.Utc }

export const closed: BreakerState = { _tag: "Closed", failures: 0 }

/** Whether a call may be made now, and the state if it is. */
export const admit = (
  state: BreakerState,
  policy: BreakerPolicy,
  now: DateTime.Utc
): { readonly isAdmitted: boolean; readonly state: BreakerState } => {
  if (state._tag === "Closed") return { isAdmitted: true, state }
  if (DateTime.isGreaterThan(state.until, now)) return { isAdmitted: false, state }
  return { isAdmitted: true, state: { _tag: "Trying", until: DateTime.addDuration(now, policy.openFor) } }
}

/** The state after a call that failed. One that was made before the breaker opened does not keep it open longer. */
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

/** The state after a call that succeeded, whenever it was made: whoever answers can be called. */
export const afterSuccess: BreakerState = closed
