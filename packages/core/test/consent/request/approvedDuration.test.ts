import { assert, describe, it } from "@effect/vitest"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import type { Grant } from "@surety/core/consent/grant/Grant"
import type { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { decideConsent } from "@surety/core/consent/request/decideConsent"
import { DateTime, Duration } from "effect"
import * as Sample from "../ConsentSamples.js"
import { approveAll, bodyOf, planOf, snapshotOf } from "./decisions.js"

/** If `duration` is undefined, the policy's `grantLifetime` applies. */
const asking = (duration: GrantDuration | undefined) => Sample.request(duration === undefined ? {} : { duration })

const decideOn = (
  asked: GrantDuration | undefined,
  chosen: GrantDuration | undefined,
  longest: Duration.Duration = defaultConsentPolicy.grantLifetime
) => {
  const policy = { ...defaultConsentPolicy, grantLifetime: longest }
  const context = { ...Sample.consentContext(Sample.day(1)), policy }
  return decideConsent(snapshotOf(asking(asked)), { ...approveAll, duration: chosen }, context)
}

const grantOf = (...args: Parameters<typeof decideOn>): Grant => {
  const decision = decideOn(...args)
  const grant = decision._tag === "Execute" ? decision.plan.grant : undefined
  return grant ?? assert.fail(`decided ${decision._tag}`)
}

const daysOf = (...args: Parameters<typeof decideOn>): number => {
  const { expiresAt, grantedAt } = grantOf(...args)
  return Duration.toDays(DateTime.distance(grantedAt, expiresAt))
}

const faultsOf = (...args: Parameters<typeof decideOn>) => {
  const decision = decideOn(...args)
  return decision._tag === "Invalid" ? decision.faults.map(({ code, path }) => [code, ...path]) : decision._tag
}

const tooLong = [["duration_too_long", "duration"]]

describe("An approved duration", () => {
  it("is what the merchant asked for, else what the policy allows, if the person chooses none", () => {
    assert.strictEqual(daysOf(30, undefined), 30)
    assert.strictEqual(daysOf(undefined, undefined), 180)
  })

  it("may be shorter than what was asked for, or the same", () => {
    assert.deepStrictEqual([daysOf(90, 7), daysOf(90, 90)], [7, 90])
    assert.deepStrictEqual([daysOf(undefined, 7), daysOf(undefined, 180)], [7, 180])
  })

  it("is never longer than what was asked for, and names the field if it is", () => {
    assert.deepStrictEqual(faultsOf(30, 31), tooLong)
    assert.deepStrictEqual(faultsOf(undefined, 181), tooLong)
    assert.deepStrictEqual(faultsOf("ONE_TIME", 1), tooLong)
  })

  it("is checked together with the fields", () => {
    const verdict = { ...approveAll, fields: [], duration: 31 }
    const decision = decideConsent(snapshotOf(asking(30)), verdict, Sample.consentContext(Sample.day(1)))
    const codes = decision._tag === "Invalid" ? decision.faults.map(({ code }) => code) : decision._tag
    assert.deepStrictEqual(codes, ["fields_required", "duration_too_long"])
  })

  it("is bounded by a policy that has become stricter since the request", () => {
    const stricter = Duration.days(60)
    assert.deepStrictEqual([daysOf(90, undefined, stricter), daysOf(90, 90, stricter)], [60, 60])
    assert.deepStrictEqual(faultsOf(90, 61, stricter), tooLong)
  })

  it("is on the receipt as the grant's end", () => {
    const plan = planOf({ ...approveAll, duration: 7 }, asking(90))
    assert.deepInclude(bodyOf(plan).events.at(-1), { state: "GRANTED", validUntil: Sample.day(8) })
  })
})

describe("A one-time grant", () => {
  it("is granted on a request for one read, and on a longer one that the person shortens to one read", () => {
    for (const grant of [grantOf("ONE_TIME", undefined), grantOf(90, "ONE_TIME"), grantOf(undefined, "ONE_TIME")]) {
      assert.isTrue(grant.oneTime)
    }
    assert.isTrue(bodyOf(planOf({ ...approveAll, duration: "ONE_TIME" })).oneTime)
  })

  it("is not granted by an approval for days", () => {
    for (const grant of [grantOf(undefined, undefined), grantOf(1, undefined), grantOf(90, 1)]) {
      assert.notProperty(grant, "oneTime")
    }
  })

  it("waits 7 days for its read", () => {
    assert.deepStrictEqual([daysOf("ONE_TIME", "ONE_TIME"), daysOf(90, "ONE_TIME")], [7, 7])
  })

  it("waits no longer than was asked for, nor than the policy allows", () => {
    assert.deepStrictEqual([daysOf(3, "ONE_TIME"), daysOf(undefined, "ONE_TIME", Duration.days(2))], [3, 2])
  })
})
