import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type OperatorSession, SessionTokenHash } from "@surety/core/operator/session/OperatorSession"
import { type InForce, OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { type DateTime, Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"

const minute = 60_000

/** Builds a session last used at `at` that ends 12 hours later. By default its operator has no other session. */
const sessionAt = (at: DateTime.Utc, operator = Fresh.randomText("ada")): OperatorSession => ({
  id: Fresh.operatorSessionId(at),
  operator,
  roles: ["support", "money"],
  signedInBy: "OIDC",
  createdAt: at,
  lastUsedAt: at,
  endsAt: Fresh.later(at, 12 * 60 * minute)
})

/** Builds the condition for sessions in force at `at`, with an idle limit of 30 minutes. */
const asOf = (at: DateTime.Utc): InForce => ({ now: at, usedAfter: Fresh.later(at, -30 * minute) })

const using = (at: DateTime.Utc) => ({ ...asOf(at), touchedBefore: Fresh.later(at, -minute) })

const opened = Effect.fnUntraced(function* (session: OperatorSession) {
  const store = yield* OperatorSessionStore
  const tokenHash = SessionTokenHash.make(Fresh.sha256(session.id, "hex"))
  yield* store.insert(session, tokenHash)
  return { session, tokenHash }
})

export const keepsAll = law(
  "keeps all of a session, finds it by its token alone, and writes its last use once a minute",
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const at = yield* Fresh.now
    const full: OperatorSession = {
      ...sessionAt(at),
      signedInBy: "TOKEN",
      credential: "5f",
      address: "192.0.2.0/24",
      userAgent: "Firefox ☂"
    }
    const { tokenHash } = yield* opened(full)
    const plain = yield* opened(sessionAt(at))
    assertEquals(yield* store.use(tokenHash, using(at)), Option.some(full))
    assertEquals(yield* store.use(plain.tokenHash, using(at)), Option.some(plain.session))
    const unknown = SessionTokenHash.make(Fresh.sha256(plain.session.operator, "hex"))
    assertEquals(yield* store.use(unknown, using(at)), Option.none())
    const soon = Fresh.later(at, minute - 1)
    assertEquals(yield* store.use(tokenHash, using(soon)), Option.some(full), "not a minute later")
    const later = Fresh.later(at, minute)
    assertEquals(yield* store.use(tokenHash, using(later)), Option.some({ ...full, lastUsedAt: later }))
    assertEquals(
      yield* store.use(tokenHash, using(at)),
      Option.some({ ...full, lastUsedAt: later }),
      "a request that began before does not set it back"
    )
  })
)

export const endsByItself = law(
  "finds no session that was idle for too long, or whose time is over, however much it is used",
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const at = yield* Fresh.now
    const { session, tokenHash } = yield* opened(sessionAt(at))
    const idle = Fresh.later(at, 30 * minute)
    assertEquals(yield* store.use(tokenHash, using(idle)), Option.none(), "30 minutes are over")
    assertEquals(yield* store.use(tokenHash, using(Fresh.later(idle, -1))).pipe(Effect.map(Option.isSome)), true)
    const used = yield* opened({ ...sessionAt(at), lastUsedAt: Fresh.later(session.endsAt, -1) })
    assert.isTrue(Option.isSome(yield* store.use(used.tokenHash, using(Fresh.later(session.endsAt, -1)))))
    assertEquals(yield* store.use(used.tokenHash, using(session.endsAt)), Option.none(), "12 hours are over")
    assertEquals(yield* store.end(used.session.id, asOf(session.endsAt)), Option.none())
  })
)

export const endsOnce = law(
  "ends one session or all of an operator's, and no one else's, for good",
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const at = yield* Fresh.now
    const name = Fresh.randomText("obi")
    const [one, two, three] = yield* Effect.replicateEffect(
      Effect.suspend(() => opened(sessionAt(at, name))),
      3
    )
    const other = yield* opened(sessionAt(at))
    if (one === undefined || two === undefined || three === undefined) return assert.fail("there are three")
    assertEquals(yield* store.end(one.session.id, asOf(at)), Option.some(one.session))
    assertEquals(yield* store.end(one.session.id, asOf(at)), Option.none())
    assertEquals(yield* store.use(one.tokenHash, using(at)), Option.none())
    assert.isTrue(Option.isSome(yield* store.use(two.tokenHash, using(at))))
    assert.strictEqual(yield* store.endAll(name, asOf(at)), 2)
    for (const { tokenHash } of [two, three]) assertEquals(yield* store.use(tokenHash, using(at)), Option.none())
    assert.isTrue(Option.isSome(yield* store.use(other.tokenHash, using(at))))
    assert.strictEqual(yield* store.endAll(name, asOf(at)), 0)
  })
)

export const listsInForce = law(
  "lists the sessions in force newest first, one operator's if asked, in pages that repeat nothing",
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const at = yield* Fresh.now
    const operator = Fresh.randomText("eve")
    const ages = [3, 2, 1, 0]
    const ours = yield* Effect.forEach(ages, (age) => opened(sessionAt(Fresh.later(at, -age), operator)))
    const idle = yield* opened(sessionAt(Fresh.later(at, -31 * minute), operator))
    const other = yield* opened(sessionAt(at))
    const expected = ours.map(({ session }) => session.id).reverse()
    const add = Effect.suspend(() => opened(sessionAt(Fresh.later(at, 1), operator)))
    yield* PageWalk.expectNewestFirst(
      (page) => store.list(operator, asOf(at), page),
      ({ id }) => id,
      expected,
      add
    )
    const all = yield* PageWalk.all((page) => store.list(undefined, asOf(at), page), 50)
    const ids = new Set(all.map(({ id }) => id))
    assert.isTrue([...expected, other.session.id].every((id) => ids.has(id)))
    assert.isFalse(ids.has(idle.session.id))
    const theirs = yield* PageWalk.all((page) => store.list(operator, asOf(at), page), 50)
    assert.isTrue(theirs.every((session) => session.operator === operator && session.id !== idle.session.id))
  })
)

export const sweeps = lawAlone(
  "sweeps what is over in small steps, and nothing that is in force",
  Effect.gen(function* () {
    const store = yield* OperatorSessionStore
    const at = yield* Fresh.now
    const kept = yield* opened(sessionAt(at))
    while ((yield* store.sweep(asOf(at), 100)) > 0) yield* Effect.void
    yield* opened(sessionAt(Fresh.later(at, -30 * minute)))
    yield* opened({ ...sessionAt(at), endsAt: at })
    yield* opened({ ...sessionAt(Fresh.later(at, -minute)), endsAt: Fresh.later(at, -1) })
    assert.strictEqual(yield* store.sweep(asOf(at), 2), 2)
    assert.strictEqual(yield* store.sweep(asOf(at), 2), 1)
    assert.strictEqual(yield* store.sweep(asOf(at), 2), 0)
    assertEquals(yield* store.use(kept.tokenHash, using(at)), Option.some(kept.session))
  })
)

export const laws = [keepsAll, endsByItself, endsOnce, listsInForce, sweeps]

export const suite: (adapter: string, layer: Layer.Layer<OperatorSessionStore, unknown>) => void = suiteOf(
  "OperatorSessionStore",
  laws
)
