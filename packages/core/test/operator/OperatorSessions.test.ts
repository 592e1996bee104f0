import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { networkOfAddress } from "@surety/core/limit/ClientAddress"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import type { OperatorCredential } from "@surety/core/operator/Operator"
import * as OperatorActions from "@surety/core/operator/OperatorActions"
import { OperatorTokens } from "@surety/core/operator/OperatorCredentials"
import * as OperatorSessions from "@surety/core/operator/session/OperatorSessions"
import * as Fresh from "@surety/testing/FreshIds"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const token = Redacted.make("a token of Ada's, long enough")

const ada: OperatorCredential = { name: "ada", role: "money", tokenHash: Fresh.sha256(Redacted.value(token), "hex") }

const state = MemoryState.layer

const stores = MemoryStores.layerOver.pipe(
  Layer.provideMerge(Layer.merge(state, DeliverySignal.layer)),
  Layer.provideMerge(NodeCrypto.layer)
)

const withTokens = (tokens: OperatorTokens) =>
  Layer.provide(Layer.fresh(OperatorSessions.layer), OperatorActions.layer).pipe(
    Layer.provide(KeyHolders.layer),
    Layer.provide(Layer.succeed(OperatorTokens, tokens))
  )

const signedIn = Effect.gen(function* () {
  const sessions = yield* OperatorSessions.OperatorSessions
  const origin = { address: "192.0.2.77", userAgent: "x".repeat(500) }
  return { sessions, opened: Option.getOrThrow(yield* sessions.signIn(token, origin)) }
})

const withAda = Layer.provideMerge(withTokens({ operators: [ada] }), stores)

describe("A session of an operator", () => {
  it.effect("opens for the bearer of a named token, and shows its own token once", () =>
    Effect.gen(function* () {
      const { opened, sessions } = yield* signedIn
      const { session } = opened
      assert.deepInclude(session, { operator: "ada", roles: ["money"], signedInBy: "TOKEN", address: "192.0.2.0/24" })
      assert.lengthOf(session.userAgent ?? "", 120)
      assert.isTrue(Option.isNone(yield* sessions.signIn(Redacted.make("a token of no one's"), {})))
      assert.isTrue(Option.isNone(yield* sessions.signIn(Redacted.make(ada.tokenHash), {})), "a hash opens nothing")
      const stored = JSON.stringify([...(yield* MemoryState.MemoryState).operatorSessions])
      assert.notInclude(stored, Redacted.value(opened.token))
      assert.notInclude(stored, ada.tokenHash)
      assert.match(Redacted.value(opened.token), /^[\w-]{43}$/)
      const used = Option.getOrThrow(yield* sessions.use(opened.token))
      assert.strictEqual(used.id, session.id)
      assert.isTrue(Option.isNone(yield* sessions.use(Redacted.make("x".repeat(43)))))
      assert.isTrue(Option.isNone(yield* sessions.use(Redacted.make("x".repeat(100_000)))))
    }).pipe(Effect.provide(withAda))
  )

  it.effect("ends after 30 minutes without a request, and after 12 hours with them", () =>
    Effect.gen(function* () {
      const { opened, sessions } = yield* signedIn
      const idle = Option.getOrThrow(yield* sessions.signIn(token, {}))
      for (let minutes = 0; minutes < 12 * 60; minutes += 29) {
        assert.isTrue(Option.isSome(yield* sessions.use(opened.token)), `${minutes} minutes`)
        yield* TestClock.adjust("29 minutes")
        if (minutes === 29) assert.isTrue(Option.isNone(yield* sessions.use(idle.token)))
      }
      assert.isTrue(Option.isNone(yield* sessions.use(opened.token)))
      assert.strictEqual(yield* sessions.sweep, 2)
    }).pipe(Effect.provide(withAda))
  )

  it.effect("counts all the ended sessions that a sweep deletes, also more than one batch", () =>
    Effect.gen(function* () {
      const { sessions } = yield* signedIn
      yield* Effect.replicateEffect(sessions.signIn(token, {}), 600, { discard: true })
      yield* TestClock.adjust("12 hours")
      assert.strictEqual(yield* sessions.sweep, 601)
      assert.strictEqual(yield* sessions.sweep, 0)
    }).pipe(Effect.provide(withAda))
  )

  it.effect("has the role that its operator has now, and ends with its token", () =>
    Effect.gen(function* () {
      const { opened } = yield* signedIn
      const roleUnder = (tokens: OperatorTokens) =>
        Effect.gen(function* () {
          const sessions = yield* OperatorSessions.OperatorSessions
          return Option.map(yield* sessions.use(opened.token), ({ roles }) => roles.join())
        }).pipe(Effect.provide(withTokens(tokens)))
      assert.deepStrictEqual(yield* roleUnder({ operators: [{ ...ada, role: "viewer" }] }), Option.some("viewer"))
      assert.deepStrictEqual(yield* roleUnder({ operators: [ada] }), Option.some("money"))
      const renamed = yield* roleUnder({ operators: [{ ...ada, name: "eve" }] })
      assert.deepStrictEqual(renamed, Option.none(), "the token is another's now")
      assert.deepStrictEqual(yield* roleUnder({ operators: [ada] }), Option.none(), "it stays ended")
    }).pipe(Effect.provide(withAda))
  )

  it.effect("does not open for an empty token, even if an operator has the hash of one", () =>
    Effect.gen(function* () {
      const hollow = { operators: [{ ...ada, tokenHash: Fresh.sha256("", "hex") }] }
      const opened = Effect.flatMap(OperatorSessions.OperatorSessions, ({ signIn }) => signIn(Redacted.make(""), {}))
      assert.deepStrictEqual(yield* Effect.provide(opened, withTokens(hollow)), Option.none())
    }).pipe(Effect.provide(withAda))
  )

  it.effect("of a replaced token ends, also if the name stays", () =>
    Effect.gen(function* () {
      const { opened } = yield* signedIn
      const replaced = { operators: [{ ...ada, tokenHash: Fresh.sha256("another token", "hex") }] }
      const used = Effect.flatMap(OperatorSessions.OperatorSessions, ({ use }) => use(opened.token))
      assert.isTrue(Option.isNone(yield* Effect.provide(used, withTokens(replaced))))
    }).pipe(Effect.provide(withAda))
  )

  it.effect("of someone who signed in elsewhere keeps those roles; the deployment's only token is an admin's", () =>
    Effect.gen(function* () {
      const sessions = yield* OperatorSessions.OperatorSessions
      const opened = yield* sessions.open({ operator: "obi", roles: ["support", "money"], signedInBy: "OIDC" })
      const used = Option.getOrThrow(yield* sessions.use(opened.token))
      assert.deepStrictEqual(used.roles, ["support", "money"])
      const sole = Option.getOrThrow(yield* sessions.signIn(token, {}))
      assert.deepInclude(sole.session, { operator: "operator", roles: ["admin"] })
      assert.isTrue(yield* sessions.end(opened.session.id, "operator"))
      assert.isFalse(yield* sessions.end(opened.session.id, "operator"))
      assert.isTrue(Option.isNone(yield* sessions.use(opened.token)))
      assert.strictEqual(yield* sessions.endAll("operator", "operator"), 1)
      const actions = [...(yield* MemoryState.MemoryState).operatorActions.values()]
      assert.deepStrictEqual(
        actions.map(({ actor, kind }) => `${actor} ${kind}`),
        ["obi session.opened", "operator session.opened", "operator session.ended", "operator session.ended"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(withTokens({ operatorToken: token }), stores)))
  )
})

describe("networkOfAddress", () => {
  it("keeps the network of an address only", () => {
    assert.deepStrictEqual(
      ["192.0.2.77", "::ffff:192.0.2.77", "2001:db8:1:2:3:4:5:6", "fe80::1%eth0", "unix", ""].map(networkOfAddress),
      ["192.0.2.0/24", "192.0.2.0/24", "2001:db8:1::/48", "fe80:0:0::/48", undefined, undefined]
    )
  })
})
