import { assert, describe, it } from "@effect/vitest"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { isLinkOpen, ManagementLink } from "@surety/core/consent/link/ManagementLink"
import { DateTime, Exit, Schema } from "effect"
import { day, serviceId, userId } from "../ConsentSamples.js"

describe("A management link", () => {
  it("is read whole, or not at all", () => {
    const link = {
      tokenHash: ConsentTokenHash.make("0".repeat(64)),
      environment: "LIVE",
      userId,
      serviceId,
      createdAt: day(0),
      expiresAt: day(7)
    }
    const read = Schema.decodeUnknownExit(Schema.toType(ManagementLink))
    assert.isTrue(Exit.isSuccess(read(link)))
    for (const name of Object.keys(link)) {
      assert.isTrue(Exit.isFailure(read({ ...link, [name]: undefined })), name)
    }
  })

  it("is open until the moment at which it expires", () => {
    const link = {
      tokenHash: ConsentTokenHash.make("0".repeat(64)),
      environment: "LIVE" as const,
      userId,
      serviceId,
      createdAt: day(0),
      expiresAt: day(7)
    }
    assert.isTrue(isLinkOpen(link, DateTime.subtract(day(7), { milliseconds: 1 })))
    assert.isFalse(isLinkOpen(link, day(7)))
  })
})
