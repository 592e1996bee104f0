import { suiteOf } from "@surety/testing/Law"
import { isMissing } from "@surety/testing/machine/LeftOut"
import { describe } from "vitest"
import * as TestCells from "../TestCells.js"
import { ofCells } from "./CellLaws.js"

/** Time limit for starting three servers and migrating the schemas of both cells. */
const startMillis = 480_000

/**
 * Every sixth law, or all laws if the environment variable `LAWS_ROUNDS` is set. Statements through the coordinator
 * take several times as long.
 */
const sampled = ofCells.filter((_, place) => place % 6 === 0 || process.env.LAWS_ROUNDS !== undefined)

describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("in two distributed schemas of Citus", () => {
  suiteOf("Storage ports over cells", sampled)("by the coordinator", TestCells.citus, startMillis)
})
