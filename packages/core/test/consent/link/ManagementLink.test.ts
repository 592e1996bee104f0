import { assert, describe, it } from "@effect/vitest"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { isLinkOpen, leadsOn, ManagementLink } from "@surety/core/consent/link/ManagementLink"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { DateTime, Exit, Schema } from "effect"
import { day, request, serviceId, userId } from "../ConsentSamples.js"

describe("A management link", () => {
  it("comes with a decision, but for NOT_ME", () => {
    const outcomes: ReadonlyArray<readonly [Partial<DataRequest>, boolean]> = [
      [{ status: "PENDING" }, false],
      [{ status: "APPROVED" }, true],
      [{ status: "DENIED", denialReason: "DECLINED" }, true],
      [{ status: "DENIED", denialReason: "NOT_ME" }, false],
      [{ status: "EXPIRED" }, false],
      [{ status: "CANCELLED" }, false]
    ]
    for (const [outcome, leads] of outcomes) {
      assert.strictEqual(leadsOn(request(outcome)), leads, JSON.stringify(outcome))
    }
  })

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
