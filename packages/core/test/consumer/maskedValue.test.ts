import { assert, describe, it } from "@effect/vitest"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { maskedValue } from "@surety/core/consumer/maskedValue"
import { Redacted, type Schema } from "effect"

const masked = (field: string, value: Schema.Json) => maskedValue(IdentityField.make(field), Redacted.make(value))

describe("A masked value", () => {
  it("shows the first letter of each word of a name, however long the word is", () => {
    assert.strictEqual(masked("display_name", "Ada  Obi"), "A••• O•••")
    assert.strictEqual(masked("display_name", "Ọláwálé"), "Ọ•••")
    assert.strictEqual(masked("display_name", "a b c d e f"), "a••• b••• c••• d•••")
    assert.strictEqual(masked("display_name", ""), "•••")
  })

  it("shows where an email address is, and not whose it is", () => {
    assert.strictEqual(masked("email", "ada.obi@example.com"), "a•••@example.com")
    assert.strictEqual(masked("email", '"a@b"@example.com'), '"•••@example.com')
  })

  it("shows the ends of an identifier", () => {
    assert.strictEqual(masked("service_id", "SR1-TEST-2345-3"), "SR1-•••2345-3")
  })

  it("shows what is one of a few whole", () => {
    assert.strictEqual(masked("country", "NG"), "NG")
    assert.strictEqual(masked("kyc_status", "VERIFIED"), "VERIFIED")
    assert.strictEqual(masked("phone_verified", true), true)
  })

  it("hides any other value of a host's", () => {
    assert.strictEqual(masked("date_of_birth", "1990-01-01"), "1•••")
    assert.strictEqual(masked("loyalty_points", 1990), "•••")
    assert.strictEqual(masked("address", { street: "1 Marina" }), "•••")
  })
})
