import { assert, describe, it } from "@effect/vitest"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"

describe("a store's error", () => {
  it("says which verb failed and whether to try again, and nothing of the cause", () => {
    const cause = new Error("password authentication failed for user surety")
    const unavailable = new StoreError({ operation: "RefundStore.execute", reason: new StoreUnavailable({ cause }) })
    assert.strictEqual(unavailable.message, "RefundStore.execute: StoreUnavailable")
    assert.isTrue(unavailable.isRetryable)
    const corrupt = new StoreError({ operation: "Ledger.audit", reason: new StoreCorrupt({ cause }) })
    assert.strictEqual(corrupt.message, "Ledger.audit: StoreCorrupt")
    assert.isFalse(corrupt.isRetryable)
  })
})
