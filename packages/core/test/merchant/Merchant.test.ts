import { assert, describe, it } from "@effect/vitest"
import {
  allowedTransitions,
  type MerchantStatus,
  mayUse,
  MerchantStatus as Status
} from "@surety/core/merchant/Merchant"

/** The status transitions that contract 3 allows. */
const transitions = new Set([
  "PENDING_REVIEW → ACTIVE",
  "PENDING_REVIEW → REJECTED",
  "ACTIVE → SUSPENDED",
  "SUSPENDED → ACTIVE",
  "PENDING_REVIEW → CLOSED",
  "ACTIVE → CLOSED",
  "SUSPENDED → CLOSED",
  "REJECTED → CLOSED"
])

const access: Readonly<Record<MerchantStatus, { readonly test: boolean; readonly live: boolean }>> = {
  PENDING_REVIEW: { test: true, live: false },
  ACTIVE: { test: true, live: true },
  SUSPENDED: { test: true, live: false },
  REJECTED: { test: false, live: false },
  CLOSED: { test: false, live: false }
}

const statuses = Status.literals

describe("a merchant's status", () => {
  it("moves as the contract allows, and in no other way", () => {
    for (const from of statuses) {
      for (const to of statuses) {
        assert.strictEqual(allowedTransitions(from).includes(to), transitions.has(`${from} → ${to}`), `${from} → ${to}`)
      }
    }
  })

  it.each(statuses)("of %s allows the keys that the contract says", (status) => {
    assert.deepStrictEqual({ test: mayUse(status, "TEST"), live: mayUse(status, "LIVE") }, access[status])
  })
})
