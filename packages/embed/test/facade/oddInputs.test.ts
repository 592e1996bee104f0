import { createSurety, memoryStore } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { secretsKey } from "../Shop.js"

const shop = {
  legalName: "Corner Shop Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "NG",
  businessType: "retail"
}

describe("An input that is no plain object", () => {
  it.each(["Corner\u0000Shop", "Corner\ud800Shop"])("is read whole: %j behind an accessor is refused", async (name) => {
    const surety = await createSurety({ store: memoryStore(), secretsKey })
    class Shop {
      get name(): string {
        return name
      }
    }
    const given = Object.assign(new Shop(), shop)
    const made = await surety.merchants.create(given)
    if (made.ok) return assert.fail("it was stored")
    assert.deepStrictEqual(
      made.error._tag === "InvalidInput" && made.error.faults.map(({ code, path }) => [code, path]),
      [["invalid_characters", ["name"]]]
    )
    await surety.close()
  })

  it("whose accessor throws rejects the call's promise, and throws at no caller", async () => {
    const surety = await createSurety({ store: memoryStore(), secretsKey })
    const broken = new Error("the host's own")
    const given = {
      key: "return-1",
      kind: "refunds.create" as const,
      get payload(): Record<string, unknown> {
        throw broken
      }
    }
    const called = surety.hostRequests.enqueue(given)
    const thrown = await called.then(
      () => undefined,
      (error: unknown) => error
    )
    assert.strictEqual(thrown, broken)
    await surety.close()
  })
})
