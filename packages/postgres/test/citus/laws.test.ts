import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import { isMissing } from "@surety/testing/machine/LeftOut"
import * as PostgresLaws from "@surety/testing/postgres/PostgresLaws"
import { describe } from "vitest"
import * as CitusStores from "./CitusStores.js"

describe.skipIf(isMissing(process.env, "CITUS_NATIVE"))("in a distributed schema of Citus", () => {
  const all = [...laws, ...PostgresLaws.laws]
  suiteOf("Every storage port", all)("by the coordinator", CitusStores.layer, CitusStores.startMillis)
})
