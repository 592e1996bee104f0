import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { EventLog } from "@surety/core/event/EventLog"
import type { EventId } from "@surety/core/Ids"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"
import * as HeldBack from "./HeldBack.js"

const sortsAsText = /^[\x21-\x7e]+$/u

const merchantLongAgo = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  return { start, scope: FreshMerchant.scopeOf(yield* FreshMerchant.make({ at: start })) }
})

export const oneSequence = law(
  "shows one sequence of an event in every list and to its senders",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { scope, start } = yield* merchantLongAgo
    yield* FreshEndpoint.make(scope, { at: start })
    const { id } = yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(start)
    const { sequence } = due.event
    assert.match(sequence, sortsAsText)
    assertEquals(
      Option.map(yield* log.find(scope, id), (event) => event.sequence),
      Option.some(sequence)
    )
    const listed = yield* PageWalk.all((page) => log.list(scope, page), 10)
    assert.deepStrictEqual(
      listed.map((event) => event.sequence),
      [sequence]
    )
  })
)

export const ascends = law(
  "gives events that are followed later no smaller sequence, while many are committed at once, regardless of their times",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { scope, start } = yield* merchantLongAgo
    const sequences: Array<string> = []
    let after: EventId | undefined
    const follow = Effect.gen(function* () {
      const page = yield* log.follow(scope, { after, limit: 3 })
      sequences.push(...page.map(({ sequence }) => sequence))
      after = page.at(-1)?.id ?? after
    })
    const minutes = Array.from({ length: 24 }, (_, index) => (index * 7) % 24)
    const committing = Effect.forEach(
      minutes,
      (minute) => FreshEvent.make(scope, Fresh.later(start, minute * FreshEvent.minute)),
      { concurrency: 6, discard: true }
    )
    const following = HeldBack.untilSeen(follow, () => sequences.length >= minutes.length)
    yield* Effect.all([committing, following], { concurrency: "unbounded" })
    assert.lengthOf(new Set(sequences), minutes.length, "each event has one of its own")
    assert.deepStrictEqual(sequences, sequences.toSorted())
  })
)

export const laws = [oneSequence, ascends]
