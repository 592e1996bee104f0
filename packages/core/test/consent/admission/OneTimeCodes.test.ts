import { createHash } from "node:crypto"
import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import {
  AuthenticatorUnavailable,
  type CodeCheck,
  ConsumerAuthenticator,
  type Visit
} from "@surety/core/consent/admission/ConsumerAuthenticator"
import { codeTries, sendsPerPerson, sendsPerWindow } from "@surety/core/consent/admission/decideCode"
import * as OneTimeCodes from "@surety/core/consent/admission/OneTimeCodes"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { UserId } from "@surety/core/Ids"
import * as MemoryCodeChallengeStore from "@surety/core/memory/consent/MemoryCodeChallengeStore"
import * as MemoryState from "@surety/core/memory/MemoryState"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Keyring } from "@surety/core/secret/Keyring"
import { Cause, DateTime, Effect, Layer, Logger, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { assertMasked } from "../../host/assertMasked.js"
import * as Sandbox from "../../Sandbox.js"

let destination: Redacted.Redacted<string> | undefined
/** Effect that runs while the next code is being sent. */
let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
const sent: Array<OneTimeCodes.CodeMessage> = []
const sender = Layer.succeed(OneTimeCodes.CodeSender, {
  send: (message) =>
    Effect.suspend(() => {
      sent.push(message)
      const answer = destination === undefined ? {} : { destination }
      const first = meanwhile
      meanwhile = Effect.void
      return Effect.as(Effect.orDie(first), answer)
    })
})

const codes = OneTimeCodes.layer.pipe(
  Layer.provide([sender, MemoryCodeChallengeStore.layer, Sandbox.keyring]),
  Layer.provideMerge(Layer.merge(MemoryState.layer, NodeCrypto.layer))
)

/** One-time codes over a store that yields before each change, so that a concurrent call runs first. */
const overtaken = OneTimeCodes.layer.pipe(
  Layer.provide([
    sender,
    Sandbox.keyring,
    Layer.effect(
      CodeChallengeStore,
      Effect.map(CodeChallengeStore, (store) =>
        CodeChallengeStore.of({
          ...store,
          change: (link, decide) => Effect.andThen(Effect.yieldNow, store.change(link, decide))
        })
      )
    ).pipe(Layer.provide(MemoryCodeChallengeStore.layer))
  ]),
  Layer.provideMerge(Layer.merge(MemoryState.layer, NodeCrypto.layer))
)

let links = 0
const visit = (user = `user-${links}`): Visit => {
  links += 1
  return {
    person: { environment: "LIVE", userId: UserId.make(user), serviceId: ConsumerId.make("SR1-TEST-2345-3") },
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
        assert.deepStrictEqual(yield* authenticator.admit(asked), {
          _tag: "CodeRequired",
          code: { openUntil: undefined, sendableAt: undefined, destination: undefined }
        })
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

    it.effect("are sent so often in the hour that begins with the first, whenever the others are sent", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        for (let times = 0; times < sendsPerWindow; times++) {
          assert.strictEqual((yield* authenticator.sendCode(asked))._tag, "Sent")
          yield* TestClock.adjust("10 minutes")
        }
        assert.deepStrictEqual(yield* authenticator.sendCode(asked), { _tag: "TooMany", retryAfterSeconds: 600 })
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual((yield* authenticator.sendCode(asked))._tag, "Sent")
      })
    )

    it.effect(`are sent to a person ${sendsPerPerson} times an hour, by all links, at once or in turn`, () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit("user-often")
        yield* authenticator.sendCode(asked)
        const others = Array.from({ length: 12 }, () => visit("user-often"))
        const sends = yield* Effect.forEach(others, authenticator.sendCode, { concurrency: "unbounded" })
        assert.strictEqual(sends.filter(({ _tag }) => _tag === "Sent").length, sendsPerPerson - 1)
        yield* TestClock.adjust("5 minutes")
        const before = sent.length
        const refused = yield* authenticator.sendCode(asked)
        assert.deepStrictEqual(refused, { _tag: "TooMany", retryAfterSeconds: 3_300 })
        assert.strictEqual(sent.length, before)
        const admission = yield* authenticator.admit(asked)
        if (admission._tag !== "CodeRequired") return assert.fail("a code is demanded")
        assert.isDefined(admission.code.openUntil, "the last code of this link still works")
        assert.isDefined(admission.code.sendableAt)
        assert.strictEqual((yield* authenticator.sendCode(visit("user-else")))._tag, "Sent", "others are not held up")
      })
    )

    it.effect("say until when the last one works, where it went, and when there is another", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        destination = Redacted.make("+234 801 234 4567")
        const start = yield* DateTime.now
        for (let times = 0; times < sendsPerWindow; times++) yield* authenticator.sendCode(asked)
        destination = undefined
        const state = Effect.map(authenticator.admit(asked), (admission) =>
          admission._tag === "CodeRequired" ? admission.code : assert.fail("a code is demanded")
        )
        assert.deepStrictEqual(yield* state, {
          openUntil: DateTime.add(start, { minutes: 10 }),
          sendableAt: DateTime.add(start, { hours: 1 }),
          destination: "•••• 4567"
        })
        yield* TestClock.adjust("10 minutes")
        assert.deepInclude(yield* state, { openUntil: undefined, destination: undefined })
        yield* TestClock.adjust("50 minutes")
        assert.deepInclude(yield* state, { sendableAt: undefined })
      })
    )

    it.effect("show where the last one went, not one that it has overtaken", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        destination = Redacted.make("+234 801 234 4567")
        meanwhile = Effect.andThen(
          Effect.sync(() => {
            destination = undefined
          }),
          authenticator.sendCode(asked)
        )
        assert.deepInclude(yield* authenticator.sendCode(asked), { _tag: "Sent" })
        const admission = yield* authenticator.admit(asked)
        if (admission._tag !== "CodeRequired") return assert.fail("a code is demanded")
        assert.isUndefined(admission.code.destination)
      })
    )

    it.effect("are sent although what was known of the link is forgotten meanwhile", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const { codeChallenges } = yield* MemoryState.MemoryState
        const asked = visit()
        destination = Redacted.make("+234 801 234 4567")
        meanwhile = Effect.sync(() => codeChallenges.delete(asked.link))
        assert.deepInclude(yield* authenticator.sendCode(asked), { _tag: "Sent" })
        destination = undefined
        assert.isFalse(codeChallenges.has(asked.link))
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

  layer(overtaken)((it) => {
    it.effect("are sent so often by a link that asks many times at once, too", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit()
        const before = sent.length
        const answers = yield* Effect.replicateEffect(authenticator.sendCode(asked), sendsPerWindow + 3, {
          concurrency: "unbounded"
        })
        assert.lengthOf(
          answers.filter(({ _tag }) => _tag === "TooMany"),
          3
        )
        assert.strictEqual(sent.length - before, sendsPerWindow)
      })
    )
  })

  layer(codes)((it) => {
    it.effect("are kept under names and hashes that other releases find again", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const state = yield* MemoryState.MemoryState
        const asked = visit("user-kept")
        yield* authenticator.sendCode(asked)
        const text = JSON.stringify(["consent.code", asked.link, Redacted.value(last())])
        const [hash] = yield* Effect.provide(
          Effect.flatMap(Keyring, (keyring) => keyring.fingerprints(text)),
          Sandbox.keyring
        )
        assert.strictEqual(state.codeChallenges.get(asked.link)?.codeHash, hash)
        const name = createHash("sha256").update('["person","LIVE","user-kept"]').digest("hex")
        assert.isTrue(state.codeChallenges.has(ConsentTokenHash.make(`person-${name}`)))
        assert.strictEqual(String(last()), "<redacted:one-time code>")
      })
    )

    it.effect("that are refused by one link use up none of the person's", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit("user-patient")
        yield* Effect.replicateEffect(authenticator.sendCode(asked), sendsPerWindow + sendsPerPerson)
        const other = visit("user-patient")
        for (let times = sendsPerWindow; times < sendsPerPerson; times++) {
          assert.strictEqual((yield* authenticator.sendCode(other))._tag, "Sent")
        }
        assert.strictEqual((yield* authenticator.sendCode(visit("user-patient")))._tag, "TooMany")
      })
    )

    it.effect("that are refused for the person leave the link's last one as it is, and are not sent", () =>
      Effect.gen(function* () {
        const authenticator = yield* ConsumerAuthenticator
        const asked = visit("user-many")
        yield* authenticator.sendCode(asked)
        const code = last()
        for (let times = 1; times < sendsPerPerson; times++) yield* authenticator.sendCode(visit("user-many"))
        const before = sent.length
        assert.strictEqual((yield* authenticator.sendCode(asked))._tag, "TooMany")
        assert.lengthOf(sent, before)
        assert.strictEqual(yield* authenticator.checkCode(asked, code), "Right")
      })
    )
  })

  const failing = new StoreError({
    operation: "CodeChallengeStore.change",
    reason: new StoreUnavailable({ cause: new Error("connection reset") })
  })

  it.effect("are unavailable without a store, for any action of the visitor, and none is sent", () =>
    Effect.gen(function* () {
      const authenticator = yield* ConsumerAuthenticator
      const asked = visit()
      const before = sent.length
      for (const act of [
        Effect.asVoid(authenticator.admit(asked)),
        Effect.asVoid(authenticator.sendCode(asked)),
        Effect.asVoid(authenticator.checkCode(asked, Redacted.make("000000")))
      ]) {
        assert.deepInclude(yield* Effect.flip(act), { _tag: "AuthenticatorUnavailable", cause: failing })
      }
      assert.lengthOf(sent, before)
    }).pipe(
      Effect.provide(
        OneTimeCodes.layer.pipe(
          Layer.provide([
            sender,
            Layer.provideMerge(Sandbox.keyring, NodeCrypto.layer),
            Layer.succeed(CodeChallengeStore, {
              change: () => Effect.fail(failing),
              forget: () => Effect.fail(failing)
            })
          ])
        )
      )
    )
  )

  it.effect("that the sender fails to send are reported to the host, without the code or the person", () =>
    Effect.gen(function* () {
      const errors: Array<HostError> = []
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, fiber, message }) => {
        const about = fiber.getRef(References.CurrentLogAnnotations)
        lines.push([String(message), JSON.stringify(about), Cause.pretty(cause)].join(" "))
      })
      const codesSent: Array<string> = []
      const unable = Layer.succeed(OneTimeCodes.CodeSender, {
        send: ({ code, person }) =>
          Effect.suspend(() => {
            codesSent.push(Redacted.value(code))
            const cause = new Error(`gateway refused ${Redacted.value(code)} for ${person.userId}`)
            return Effect.fail(new AuthenticatorUnavailable({ cause }))
          })
      })
      const error = yield* Effect.flatMap(ConsumerAuthenticator, ({ sendCode }) =>
        Effect.flip(sendCode(visit("user-x")))
      ).pipe(
        Effect.provide(
          OneTimeCodes.layer.pipe(
            Layer.provide([unable, MemoryCodeChallengeStore.layer, Sandbox.keyring]),
            Layer.provide(Layer.merge(MemoryState.layer, NodeCrypto.layer))
          )
        ),
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(HostErrors, (one) => errors.push(one))
      )
      assert.strictEqual(error._tag, "AuthenticatorUnavailable")
      assert.deepStrictEqual(
        errors.map(({ operation, part }) => [part, operation]),
        [["codeSender", "send"]]
      )
      const log = lines.join("\n")
      assert.include(log, "the person gets no code")
      assert.lengthOf(codesSent, 1)
      const [code = ""] = codesSent
      assertMasked(log, `gateway refused ${code} for user-x`, code, "user-x")
    })
  )

  /** Draws a code from a scripted random source, which returns each of `numbers` as three bytes. */
  const codeOf = (...numbers: ReadonlyArray<number>) => {
    const bytes = numbers.flatMap((number) => [number >> 16, (number >> 8) & 0xff, number & 0xff])
    const random = SecureRandom.make((size) => Uint8Array.from(bytes.splice(0, size)))
    return OneTimeCodes.nextCode.pipe(
      Effect.provideService(SecureRandom.SecureRandom, random),
      Effect.map(Redacted.value),
      Effect.runSync
    )
  }

  it("have six digits if the number has fewer", () => {
    assert.strictEqual(codeOf(42), "000042")
    assert.strictEqual(codeOf(15_000_000), "000000")
    assert.strictEqual(codeOf(15_999_999), "999999")
  })

  it("are each equally likely: numbers of the range's last part are drawn again", () => {
    assert.strictEqual(codeOf(16_000_000, 7), "000007")
    assert.strictEqual(codeOf(16_777_215, 16_000_001, 8), "000008")
  })
})
