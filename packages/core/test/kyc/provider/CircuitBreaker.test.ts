import { assert, describe, it } from "@effect/vitest"
import * as CircuitBreaker from "@surety/core/kyc/provider/CircuitBreaker"
import { DateTime, Duration } from "effect"

const policy = { failures: 3, openFor: Duration.seconds(30) }
const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

const failTimes = (times: number, from: CircuitBreaker.BreakerState = CircuitBreaker.closed) => {
  let state = from
  for (let time = 0; time < times; time += 1) state = CircuitBreaker.afterFailure(state, policy, at(0))
  return state
}

const isAdmitted = (state: CircuitBreaker.BreakerState, seconds: number) =>
  CircuitBreaker.admit(state, policy, at(seconds)).isAdmitted

describe("A circuit breaker", () => {
  it("lets every call through until the limit of consecutive failures", () => {
    assert.isTrue(isAdmitted(failTimes(2), 0))
    assert.isFalse(isAdmitted(failTimes(3), 0))
    assert.isTrue(isAdmitted(failTimes(2, CircuitBreaker.afterSuccess), 0), "a success restarts the count")
  })

  it("lets one call through to try when its time is over, and the others when that one has succeeded", () => {
    const open = failTimes(3)
    assert.isFalse(isAdmitted(open, 29))
    const trying = CircuitBreaker.admit(open, policy, at(30))
    assert.isTrue(trying.isAdmitted)
    assert.isFalse(isAdmitted(trying.state, 30), "one call only")
    assert.isTrue(isAdmitted(CircuitBreaker.afterSuccess, 31))
    const again = CircuitBreaker.afterFailure(trying.state, policy, at(31))
    assert.isFalse(isAdmitted(again, 60), "the first failure then opens it for the whole time")
    assert.isTrue(isAdmitted(again, 61))
  })

  it("lets another one try when the first never comes back", () => {
    const { state } = CircuitBreaker.admit(failTimes(3), policy, at(30))
    assert.isFalse(isAdmitted(state, 59))
    assert.isTrue(isAdmitted(state, 60))
  })

  it("lets another one try at once when the first showed nothing, and changes nothing otherwise", () => {
    const probe = CircuitBreaker.admit(failTimes(3), policy, at(30))
    const after = CircuitBreaker.afterNoEvidence(probe.state, probe.state, at(31))
    const next = CircuitBreaker.admit(after, policy, at(31))
    assert.isTrue(next.isAdmitted)
    assert.isFalse(isAdmitted(next.state, 31), "one call only")
    for (const earlier of [probe.state, CircuitBreaker.closed]) {
      assert.strictEqual(CircuitBreaker.afterNoEvidence(next.state, earlier, at(32)), next.state, "not its probe")
    }
    const counting = failTimes(2)
    assert.strictEqual(CircuitBreaker.afterNoEvidence(counting, counting, at(32)), counting)
    assert.isFalse(isAdmitted(CircuitBreaker.afterNoEvidence(failTimes(3), counting, at(1)), 1), "it opened meanwhile")
  })

  it("is not kept open by calls that were made before it opened", () => {
    const late = CircuitBreaker.afterFailure(failTimes(3), policy, at(20))
    assert.isTrue(isAdmitted(late, 30))
  })
})
