import { assert, describe, it } from "@effect/vitest"
import { readHostKycCalled, readHostKycOutcome } from "@surety/embed/host/HostKycAnswers"
import { DateTime, Result } from "effect"

const outcomeUntil = (expiresAt: unknown) =>
  readHostKycOutcome({
    status: "REQUIRES_ACTION",
    providerReference: "p-1",
    nextAction: { type: "REDIRECT", url: "https://registry.example/consent/7", expiresAt }
  })

describe("The time of a host's action", () => {
  it("is a moment in UTC or with an offset", () => {
    for (const sent of ["2028-02-29T10:00:00Z", "2028-02-29T10:00:00.000Z", "2028-02-29T11:00:00+01:00"]) {
      const outcome = Result.getOrThrow(outcomeUntil(sent))
      const expiresAt = outcome._tag === "RequiresAction" ? outcome.nextAction.expiresAt : undefined
      assert.strictEqual(expiresAt && DateTime.formatIso(expiresAt), "2028-02-29T10:00:00.000Z", sent)
    }
  })

  it("is not read as another moment if it does not exist or lacks an offset", () => {
    for (const sent of [
      "2027-02-29T10:00:00Z",
      "2027-01-01T24:00:00Z",
      "2027-01-01T10:00:00",
      "2027-01-01",
      "1",
      1,
      null
    ]) {
      assert.isTrue(Result.isFailure(outcomeUntil(sent)), String(sent))
    }
  })
})

describe("A host's KYC answer", () => {
  const verified = { providerReference: "p-1", checks: {} }

  it("is rejected if it has the internal tag, alone or against its status", () => {
    for (const answer of [{ _tag: "Verified" }, { _tag: "Verified", status: "PENDING" }]) {
      assert.isTrue(Result.isFailure(readHostKycOutcome({ ...answer, ...verified })), JSON.stringify(answer))
    }
    const outcome = { status: "VERIFIED", ...verified }
    for (const answer of [
      { type: "NOT_AUTHENTIC", _tag: "Answered", about: {}, outcome },
      { type: "ANSWERED", about: {}, outcome: { _tag: "Verified", ...verified } }
    ]) {
      assert.isTrue(Result.isFailure(readHostKycCalled(answer)), JSON.stringify(answer))
    }
    assert.isTrue(Result.isSuccess(readHostKycCalled({ type: "ANSWERED", about: {}, outcome })))
  })
})
