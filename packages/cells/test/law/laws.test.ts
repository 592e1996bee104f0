import { assert, it } from "@effect/vitest"
import { laws as everyLaw } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import * as TestCells from "../TestCells.js"
import { isOfOneCell, laws, ofCells, ofOneCell } from "./CellLaws.js"

/**
 * Every eighth law, or all laws if the environment variable `LAWS_ROUNDS` is set. A second server changes only timing,
 * which laws do not observe.
 */
const sampled = ofCells.filter((_, place) => place % 8 === 0 || process.env.LAWS_ROUNDS !== undefined)

// Covers unpartitioned tables. packages/postgres/test/partition/laws.test.ts covers tables partitioned by month.
suiteOf("Storage ports over cells", ofCells)(
  "two schemas of one PostgreSQL as the role that serves",
  TestCells.servingSchemas
)
suiteOf("Storage ports over cells, sampled", sampled)("two PostgreSQL servers", TestCells.twoServers)

suiteOf("Storage ports", laws.filter(isOfOneCell))("one cell", TestCells.oneCell)

it("leaves out no law", () => {
  assert.strictEqual(laws.filter(isOfOneCell).length, ofOneCell.length)
  const run = new Set(laws.map(({ name }) => name))
  assert.deepStrictEqual(
    everyLaw.map(({ name }) => name).filter((name) => !run.has(name)),
    []
  )
})
