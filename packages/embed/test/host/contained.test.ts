import { assert, describe, it } from "vitest"
import { contained } from "../../src/host/contained.js"

const cause = new Error("from the host")

/** Throws even when awaited, because `await` reads `then`. */
const throwingThen = new Proxy(
  {},
  {
    has: () => true,
    get: () => {
      throw cause
    }
  }
)

const fails = () => {
  throw cause
}

describe("A callback whose answer is not used", () => {
  it.each([
    ["throws", fails],
    ["rejects", () => Promise.reject(cause)],
    ["answers something whose then throws", () => throwingThen]
  ])("reports once if it %s, and ends nothing", async (_, callback) => {
    const failures: Array<unknown> = []
    contained(callback, (failure) => failures.push(failure))()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(failures, [cause])
  })
})
