import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { ConsentTokenHash } from "@surety/core/consent/ConsentToken"
import { type CodeCheck, ConsumerAuthenticator, type Visit } from "@surety/core/consent/ConsumerAuthenticator"
import { codeTries, sendsPerWindow } from "@surety/core/consent/decideCode"
import * as OneTimeCodes from "@surety/core/consent/OneTimeCodes"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { UserId } from "@surety/core/Ids"
import * as MemoryCodeChallengeStore from "@surety/core/memory/MemoryCodeChallengeStore"
import * as MemoryState from "@surety/core/memory/MemoryState"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

const sent: Array<OneTimeCodes.CodeMessage> = []
const sender = Layer.succeed(OneTimeCodes.CodeSender, {
  send: (message) => Effect.sync(() => void sent.push(message))
})

const codes = OneTimeCodes.layer.pipe(
  Layer.provide([sender, MemoryCodeChallengeStore.layer, Sandbox.keyring]),
  Layer.provideMerge(Layer.merge(MemoryState.layer, NodeCrypto.layer))
)

let links = 0
const visit = (): Visit => {
  links += 1
  return {
    person: { environment: "LIVE", userId: UserId.make("user-1"), serviceId: ConsumerId.make("SR1-TEST-2345-3") },
    link: ConsentTokenHash.make(`link-${links}`),
    headers: Redacted.make({})
  }
}

const last = () => sent.at(-1)?.code ?? Redacted.make("")
const wrong = () => Redacted.make(Redacted.value(last()) === "000000" ? "000001" : "000000")

describe("One-time codes", () => {
  layer(codes)((it) => {
    it.effect("are six digits, kept as a keyed hash alone, and right once", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const state = yield* MemoryState.MemoryState
        const asked = visit()
        assert.deepStrictEqual(yield* authenticator.admit(asked), { _tag: "CodeRequired" })
        assert.strictEqual(sent.length, 0, "looking sends nothing")
        assert.deepStrictEqual(yield* authenticator.sendCode(asked), { _tag: "Sent", minutes: 10 })
        assert.match(Redacted.value(last()), /^\d{6}$/u)
        assert.notInclude(JSON.stringify([...state.codeChallenges]), Redacted.value(last()))
        assert.strictEqual(yield* authenticator.checkCode(visit(), last()), "Spent", "it is that link's alone")
        assert.strictEqual(yield* authenticator.checkCode(asked, last()), "Right")
        assert.strictEqual(yield* authenticator.checkCode(asked, last()), "Spent")
      })
    )

    it.effect(`may be entered ${codeTries} times`, () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        yield* authenticator.sendCode(asked)
        const answers: Array<CodeCheck> = []
        for (let tried = 0; tried < codeTries; tried++) answers.push(yield* authenticator.checkCode(asked, wrong()))
        assert.deepStrictEqual(answers, ["Wrong", "Wrong", "Wrong", "Wrong", "Spent"])
        assert.strictEqual(yield* authenticator.checkCode(asked, last()), "Spent", "the right one comes too late")
      })
    )

    it.effect("work for ten minutes, and the last one sent alone", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        yield* authenticator.sendCode(asked)
        const first = last()
        yield* authenticator.sendCode(asked)
        if (Redacted.value(first) !== Redacted.value(last())) {
          assert.strictEqual(yield* authenticator.checkCode(asked, first), "Wrong")
        }
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* authenticator.checkCode(asked, last()), "Spent")
      })
    )

    it.effect("are sent so often an hour and no more", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        for (let times = 0; times < sendsPerWindow; times++) {
          assert.strictEqual((yield* authenticator.sendCode(asked))._tag, "Sent")
        }
        const before = sent.length
        yield* TestClock.adjust("20 minutes")
        const refused = yield* authenticator.sendCode(asked)
        assert.deepStrictEqual(refused, { _tag: "TooMany", retryAfterSeconds: 2_400 })
        assert.strictEqual(sent.length, before)
        yield* TestClock.adjust("40 minutes")
        assert.strictEqual((yield* authenticator.sendCode(asked))._tag, "Sent")
      })
    )
  })
})
