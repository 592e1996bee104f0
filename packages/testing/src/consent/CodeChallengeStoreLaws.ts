import { assert } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { codeTries, decideCheck, decideSend, sendsPerWindow } from "@surety/core/consent/admission/decideCode"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { type DateTime, Effect, type Layer } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"

export type CodeChallengeStorePorts = CodeChallengeStore

const newLink = () => ConsentTokenHash.make(Fresh.sha256(Fresh.randomText("link"), "hex"))
const right = Fingerprint.make("k1.right")
const wrong = Fingerprint.make("k1.wrong")

const send = (link: ReturnType<typeof newLink>, at: DateTime.Utc) =>
  Effect.flatMap(CodeChallengeStore, (store) => store.change(link, (current) => decideSend(current, right, at)))

const check = (link: ReturnType<typeof newLink>, hash: Fingerprint, at: DateTime.Utc) =>
  Effect.flatMap(CodeChallengeStore, (store) => store.change(link, (current) => decideCheck(current, [hash], at)))

const countOf = (answers: ReadonlyArray<string>, one: string): number =>
  answers.filter((answer) => answer === one).length

export const keepsChallenges = law(
  "keeps a link's challenge from one change to the next, and changes nothing if nothing follows",
  Effect.gen(function* () {
    const store = yield* CodeChallengeStore
    const now = yield* Fresh.now
    const link = newLink()
    assert.strictEqual(yield* check(link, right, now), "Spent", "no code was sent")
    yield* send(link, now)
    const kept = yield* store.change(link, (current) => ({ answer: current, next: undefined }))
    const first = decideSend(undefined, right, now).next ?? assert.fail("a first code is sent")
    assert.deepStrictEqual(kept, first)
    const told = { ...first, destination: "•••• 4567" }
    yield* store.change(link, () => ({ answer: undefined, next: told }))
    assert.deepStrictEqual(yield* store.change(link, (current) => ({ answer: current, next: undefined })), told)
    assert.strictEqual(yield* check(newLink(), right, now), "Spent", "another link's code is not this one's")
    assert.strictEqual(yield* check(link, right, now), "Right")
    assert.strictEqual(yield* check(link, right, now), "Spent", "a code is right once")
  })
)

export const countsTries = law(
  "counts each of 20 wrong codes at once, and compares no more than the limit",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const link = newLink()
    yield* send(link, now)
    const answers = yield* Effect.replicateEffect(check(link, wrong, now), 20, { concurrency: "unbounded" })
    assert.strictEqual(countOf(answers, "Wrong"), codeTries - 1)
    assert.strictEqual(yield* check(link, right, now), "Spent")
  })
)

export const countsSends = law(
  "counts each of 20 codes that are asked for at once, the first of a link among them",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const link = newLink()
    const answers = yield* Effect.replicateEffect(send(link, now), 20, { concurrency: "unbounded" })
    assert.strictEqual(
      countOf(
        answers.map(({ _tag }) => _tag),
        "Sent"
      ),
      sendsPerWindow
    )
  })
)

export const oneIsRight = law(
  "lets one of 10 who enter the right code at once in",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const link = newLink()
    yield* send(link, now)
    const answers = yield* Effect.replicateEffect(check(link, right, now), 10, { concurrency: "unbounded" })
    assert.strictEqual(countOf(answers, "Right"), 1)
  })
)

export const forgetsChallenges = law(
  "forgets challenges whose window has ended, as many as asked for, and no others",
  Effect.gen(function* () {
    const store = yield* CodeChallengeStore
    const start = yield* Fresh.longAgo
    const hour = 3_600_000
    yield* Effect.addFinalizer(() => Effect.ignore(store.forget(Fresh.later(start, hour + 180_000), 10)))
    const links = [newLink(), newLink(), newLink()]
    for (const [index, link] of links.entries()) yield* send(link, Fresh.later(start, index * 60_000))
    assert.strictEqual(yield* store.forget(Fresh.later(start, hour), 10), 0)
    assert.strictEqual(yield* store.forget(Fresh.later(start, hour + 90_000), 1), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(start, hour + 90_000), 10), 1)
    const left = yield* Effect.forEach(links, (link) =>
      store.change(link, (current) => ({ answer: current !== undefined, next: undefined }))
    )
    assert.deepStrictEqual(left, [false, false, true])
  })
)

export const laws = [keepsChallenges, countsTries, countsSends, oneIsRight, forgetsChallenges]

export const suite: (adapter: string, layer: Layer.Layer<CodeChallengeStorePorts, unknown>) => void =
  suiteOf<CodeChallengeStorePorts>("CodeChallengeStore", laws)
