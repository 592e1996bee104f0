import { assert, describe, it } from "@effect/vitest"
import { Fingerprint, isSameRequest } from "@surety/core/idempotency/Fingerprint"

const [newer, older, other] = ["k2.abc", "k1.def", "k1.abc"].map((text) => Fingerprint.make(text))

describe("a fingerprint", () => {
  it("is of the same request when it is one of the request's under any key that is still read", () => {
    if (newer === undefined || older === undefined || other === undefined) return assert.fail("there are three")
    assert.isTrue(isSameRequest(newer, [newer, older]))
    assert.isTrue(isSameRequest(older, [newer, older]))
    assert.isFalse(isSameRequest(other, [newer, older]))
    assert.isFalse(isSameRequest(older, [newer]), "once the key is no longer listed")
  })
})
