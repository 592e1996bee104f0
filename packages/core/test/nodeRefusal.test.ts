import { nodeRefusal } from "@surety/core/nodeRefusal"
import { describe, expect, it } from "vitest"

describe("nodeRefusal", () => {
  it.each(["18.20.0", "20.20.2", "22.18.9", "21.99.0"])("refuses %s and says what is needed", (version) => {
    expect(nodeRefusal("@surety/x", version)).toBe(`@surety/x needs Node 22.19 or later; this is ${version}.`)
  })

  it.each(["22.19.0", "22.20.1", "24.0.0", "26.1.0-nightly"])("takes %s", (version) => {
    expect(nodeRefusal("@surety/x", version)).toBeUndefined()
  })
})
