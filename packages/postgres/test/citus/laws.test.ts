import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import { isMissing } from "@surety/testing/machine/LeftOut"
import { describe } from "vitest"
import * as CitusStores from "./CitusStores.js"

describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("in a distributed schema of Citus", () => {
  suiteOf("Every storage port", laws)("citus", CitusStores.layer)
})
