import { suiteOf } from "@surety/testing/Law"
import { isMissing } from "@surety/testing/machine/LeftOut"
import { describe } from "vitest"
import * as TestCells from "../TestCells.js"
import { ofCells } from "./CellLaws.js"

/** Three servers start, and each migration of both cells runs on two of them. */
const startMillis = 480_000

/** A statement by the coordinator takes several times as long: every sixth law, or all with `LAWS_ROUNDS`. */
const sampled = ofCells.filter((_, place) => place % 6 === 0 || process.env.LAWS_ROUNDS !== undefined)

describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("in two distributed schemas of Citus", () => {
  suiteOf("Storage ports over cells", sampled)("by the coordinator", TestCells.citus, startMillis)
})
