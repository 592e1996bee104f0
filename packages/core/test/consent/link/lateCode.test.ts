import { assert, it } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { codeLifetime, sendWindow } from "@surety/core/consent/admission/decideCode"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { PersonConsents } from "@surety/core/consent/link/PersonConsents"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../../Sandbox.js"

it.effect("a code sent at the end of its window is kept until it expires", () =>
  Effect.gen(function* () {
    const challenges = yield* CodeChallengeStore
    const { sweep } = yield* PersonConsents
    const link = ConsentTokenHash.make("link")
    const isKept = challenges.change(link, (current) => ({ answer: current !== undefined, next: undefined }))
    const startedAt = yield* DateTime.now
    yield* challenges.change(link, () => ({
      answer: undefined,
      next: {
        codeHash: Fingerprint.make("hash"),
        triesLeft: 5,
        expiresAt: DateTime.addDuration(startedAt, Duration.sum(sendWindow, codeLifetime)),
        sends: 1,
        windowEndsAt: DateTime.addDuration(startedAt, sendWindow)
      }
    }))
    yield* TestClock.adjust(Duration.sum(sendWindow, Duration.minutes(9)))
    yield* sweep
    assert.isTrue(yield* isKept)
    yield* TestClock.adjust("2 minutes")
    yield* sweep
    assert.isFalse(yield* isKept)
  }).pipe(Effect.provide(Sandbox.layer))
)
