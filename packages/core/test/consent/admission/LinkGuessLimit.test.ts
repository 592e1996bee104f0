import { assert, describe, layer } from "@effect/vitest"
import { LinkGuessLimit, layer as limitLayer, linkGuessLimit } from "@surety/core/consent/admission/LinkGuessLimit"
import { refusedRequests } from "@surety/core/limit/RefusedRequests"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"

describe("The limit for unknown links", () => {
  layer(limitLayer)((it) => {
    it.effect("refuses an address for the rest of the minute, and no other", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        const [attacker, neighbour] = ["192.0.2.1", "192.0.2.2"]
        yield* Effect.replicateEffect(guesses.count(attacker), linkGuessLimit - 1)
        yield* guesses.check(attacker)
        yield* TestClock.adjust("20 seconds")
        yield* guesses.count(attacker)
        const refused = yield* Effect.flip(guesses.check(attacker))
        assert.deepInclude(refused, { _tag: "TooManyGuesses", retryAfterSeconds: 40 })
        yield* guesses.check(neighbour)
        yield* TestClock.adjust("40 seconds")
        yield* guesses.check(attacker)
      })
    )

    it.effect("takes the addresses of one customer's network for one", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        for (let tried = 0; tried < linkGuessLimit; tried++) yield* guesses.count(`2001:db8:1:2::${tried.toString(16)}`)
        yield* Effect.flip(guesses.check("2001:db8:1:2:ffff::1"))
        yield* guesses.check("2001:db8:1:3::1")
      })
    )

    it.effect("forgets those first whose minute began first, whenever they were seen last", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        yield* TestClock.adjust("1 hour")
        const [first, second] = ["192.0.2.3", "192.0.2.4"]
        yield* Effect.replicateEffect(guesses.count(first), linkGuessLimit - 1)
        yield* Effect.replicateEffect(guesses.count(second), linkGuessLimit)
        yield* guesses.count(first)
        yield* Effect.forEach(Array.from({ length: 9_999 }), (_, index) =>
          guesses.count(`2001:db8:1:${index.toString(16)}::1`)
        )
        yield* guesses.check(first)
        yield* Effect.flip(guesses.check(second))
      })
    )

    it.effect("counts what it refuses, under its name, and says when to retry", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        const refused = Metric.value(Metric.withAttributes(refusedRequests, { policy: "consent-links" }))
        const before = (yield* refused).count
        yield* Effect.replicateEffect(guesses.count("192.0.2.5"), linkGuessLimit)
        const { message } = yield* Effect.flip(guesses.check("192.0.2.5"))
        assert.strictEqual(message, "Too many unknown links from this address; retry in 60 s.")
        assert.strictEqual((yield* refused).count, before + 1)
      })
    )

    it.effect("forgets no address for the guess of one that it remembers", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        yield* TestClock.adjust("1 hour")
        yield* Effect.replicateEffect(guesses.count("192.0.2.7"), linkGuessLimit - 1)
        yield* Effect.forEach(Array.from({ length: 9_999 }), (_, index) =>
          guesses.count(`2001:db8:2:${index.toString(16)}::1`)
        )
        yield* guesses.count("192.0.2.7")
        yield* Effect.flip(guesses.check("192.0.2.7"))
      })
    )

    it.effect("remembers a bounded number of addresses", () =>
      Effect.gen(function* () {
        const guesses = yield* LinkGuessLimit
        yield* Effect.replicateEffect(guesses.count("192.0.2.9"), linkGuessLimit)
        yield* Effect.forEach(Array.from({ length: 10_000 }), (_, index) =>
          guesses.count(`2001:db8:0:${index.toString(16)}::1`)
        )
        yield* guesses.check("192.0.2.9")
      })
    )
  })
})
