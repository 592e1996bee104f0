import { assert, it } from "@effect/vitest"
import { EventArchived } from "@surety/core/event/EventArchived"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import * as Fresh from "@surety/testing/FreshIds"
import { DateTime, Effect, Option } from "effect"
import * as TestCells from "../TestCells.js"
import { databaseOf, layer, move } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a merchant that moved", (it) => {
  it.effect("learns that an event is in an archive of its earlier cell", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const log = yield* EventLog
      const at = DateTime.subtract(yield* Fresh.now, { days: 400 })
      const archived = Fresh.eventId(at)
      const month = DateTime.formatIsoDateUtc(at).slice(0, 7)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { schema, sql } = yield* databaseOf(east)
          yield* sql.unsafe(
            `insert into "${schema}".archive_part (id, month, status, begun_by, manifest_hash, ended_at)
            values ($1, $2, 'REMOVED', 'ada', 'hash', now())`,
            [toUuid(archived), `${month}-01`]
          )
        })
      )
      const find = Effect.flip(log.find(shop.scope, archived))
      assert.deepStrictEqual(yield* find, new EventArchived({ month }))
      yield* move(shop, west)
      assert.deepStrictEqual(yield* find, new EventArchived({ month }), "after the move")
      assert.isTrue(Option.isNone(yield* log.find(shop.scope, Fresh.eventId(yield* Fresh.now))))
    })
  )
})
