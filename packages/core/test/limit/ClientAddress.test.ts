import { clientOfAddress } from "@surety/core/limit/ClientAddress"
import { describe, expect, it } from "vitest"

describe("Whose an address is", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::7", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["", "unknown"],
    ["unix:/run/surety.sock", "unknown"]
  ])("takes %s for %s", (address, client) => {
    expect(clientOfAddress(address)).toBe(client)
  })
})
