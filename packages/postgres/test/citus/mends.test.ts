import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { isMissing } from "@surety/testing/machine/LeftOut"
import * as PostgresLaws from "@surety/testing/postgres/PostgresLaws"
import { Effect, Exit } from "effect"
import { describe } from "vitest"
import { recordAttemptsFunction } from "../../src/event/delivery/recordAttemptsFunction.js"
import * as CitusStores from "./CitusStores.js"

/** Adaptations for Citus, each with a law that must fail once the adaptation is undone. */
const mends = [
  {
    what: "the triggers of rows",
    law: PostgresLaws.keepsRecords,
    undo: ["drop trigger transfer_kept on surety.transfer"]
  },
  {
    what: "the stamp of the node that stores the row",
    law: PostgresLaws.followsNoneTooSoon,
    undo: ["drop trigger event_stamped on surety.event"]
  },
  {
    what: "functions that run on the node of the tables",
    law: PostgresLaws.waitsNotForLocks,
    undo: [
      "drop function surety.record_attempts(json)",
      recordAttemptsFunction.definition("surety").replace("force_generic_plan", "force_custom_plan")
    ]
  }
]

describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("a distributed schema", () => {
  it.layer(CitusStores.layer, { timeout: CitusStores.startMillis, excludeTestServices: true })("needs", (it) => {
    for (const { law, undo, what } of mends) {
      it.effect(what, () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          assert.isTrue(Exit.isSuccess(yield* Effect.exit(Effect.scoped(law.body))), "the law holds before")
          for (const statement of undo) yield* sql.unsafe(statement).unprepared
          assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(law.body))), "and fails without it")
        })
      )
    }
  })
})
