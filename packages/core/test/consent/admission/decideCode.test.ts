import { assert, describe, it } from "@effect/vitest"
import * as Code from "@surety/core/consent/admission/decideCode"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { DateTime } from "effect"
import * as Sample from "../ConsentSamples.js"

const now = Sample.day(1)

/** Returns the time `count` minutes after `now`. */
const minutes = (count: number): DateTime.Utc => Sample.day(1 + count / 1_440)

const right = Fingerprint.make("k1.right")
const wrong = Fingerprint.make("k1.wrong")

const challenge = (change: Partial<Code.CodeChallenge> = {}): Code.CodeChallenge => ({
  codeHash: right,
  triesLeft: 5,
  expiresAt: minutes(10),
  sends: 1,
  windowEndsAt: minutes(30),
  destination: "•••• 4567",
  ...change
})

describe("Sending a one-time code", () => {
  const first = { codeHash: right, triesLeft: 5, expiresAt: minutes(10), sends: 1, windowEndsAt: minutes(60) }

  it("begins an hour in which sends count, and a code's ten minutes and five tries", () => {
    assert.deepStrictEqual(Code.decideSend(undefined, right, now), {
      answer: { _tag: "Sent", minutes: 10 },
      next: first
    })
  })

  it("counts up to the hour's end, which a later send does not move", () => {
    const { next } = Code.decideSend(challenge({ sends: 4, triesLeft: 1 }), right, now)
    assert.deepStrictEqual(next, { ...first, sends: 5, windowEndsAt: minutes(30) })
  })

  it("restarts the count at the moment at which the hour ends", () => {
    assert.deepStrictEqual(Code.decideSend(challenge({ sends: 5, windowEndsAt: now }), right, now).next, first)
  })

  it("is refused to a link after 5 in the hour, and to a person after 10, in whole seconds", () => {
    const windowEndsAt = Sample.day(1 + 90.5 / 86_400)
    const refused = { answer: { _tag: "TooMany", retryAfterSeconds: 91 }, next: undefined } as const
    const send = (sends: number, hash: Fingerprint | undefined) =>
      Code.decideSend(challenge({ sends, windowEndsAt }), hash, now)
    assert.deepStrictEqual(send(5, right), refused)
    assert.strictEqual(send(4, right).answer._tag, "Sent")
    assert.deepStrictEqual(send(10, undefined), refused)
    assert.strictEqual(send(9, undefined).answer._tag, "Sent")
  })
})

describe("What a visitor sees of the code", () => {
  const none = { openUntil: undefined, sendableAt: undefined, destination: undefined }

  it("is nothing before one was sent", () => {
    assert.deepStrictEqual(Code.codeStateOf(undefined, undefined, now), none)
  })

  it("is until when the open one works, and where it went", () => {
    const open = { openUntil: minutes(10), sendableAt: undefined, destination: "•••• 4567" }
    assert.deepStrictEqual(Code.codeStateOf(challenge(), undefined, now), open)
  })

  it("is nothing of one that was right, was tried too often or has expired", () => {
    for (const spent of [{ codeHash: undefined }, { triesLeft: 0 }, { expiresAt: now }]) {
      assert.deepStrictEqual(Code.codeStateOf(challenge(spent), undefined, now), none)
    }
  })

  it("is when another one can be sent: once both the link and the person may be sent one", () => {
    const sendableAt = (link: Partial<Code.CodeChallenge>, person: Partial<Code.CodeChallenge>) =>
      Code.codeStateOf(challenge(link), challenge(person), now).sendableAt
    const often = { sends: 5, windowEndsAt: minutes(20) }
    assert.deepStrictEqual(sendableAt(often, { sends: 5 }), minutes(20))
    assert.deepStrictEqual(sendableAt({ sends: 1 }, { sends: 10 }), minutes(30))
    assert.deepStrictEqual(sendableAt(often, { sends: 10 }), minutes(30))
    assert.deepStrictEqual(sendableAt({ sends: 5, windowEndsAt: minutes(40) }, { sends: 10 }), minutes(40))
    assert.isUndefined(sendableAt({ sends: 4 }, { sends: 9 }))
  })
})

describe("Entering a one-time code", () => {
  it("succeeds once, under whichever of the server's keys it was hashed", () => {
    const { answer, next } = Code.decideCheck(challenge(), [wrong, right], now)
    assert.strictEqual(answer, "Right")
    assert.deepStrictEqual(next, challenge({ codeHash: undefined, triesLeft: 0 }))
    assert.deepStrictEqual(Code.decideCheck(next, [right], now), { answer: "Spent", next: undefined })
  })

  it("uses up a try if it is wrong, and spends the code with the last one", () => {
    const check = (triesLeft: number) => Code.decideCheck(challenge({ triesLeft }), [wrong], now)
    assert.deepStrictEqual(check(5), { answer: "Wrong", next: challenge({ triesLeft: 4 }) })
    assert.deepStrictEqual(check(2), { answer: "Wrong", next: challenge({ triesLeft: 1 }) })
    assert.deepStrictEqual(check(1), { answer: "Spent", next: challenge({ triesLeft: 0 }) })
  })

  it("changes nothing if no code is open", () => {
    const spent = { answer: "Spent", next: undefined } as const
    assert.deepStrictEqual(Code.decideCheck(undefined, [right], now), spent)
    for (const change of [{ codeHash: undefined }, { triesLeft: 0 }, { expiresAt: now }]) {
      assert.deepStrictEqual(Code.decideCheck(challenge(change), [right], now), spent)
    }
  })

  it("works until the last moment before it expires", () => {
    const almost = challenge({ expiresAt: Sample.day(1 + 0.001 / 86_400) })
    assert.strictEqual(Code.decideCheck(almost, [right], now).answer, "Right")
  })
})
