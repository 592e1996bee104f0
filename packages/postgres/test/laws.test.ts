import { laws } from "@surety/testing/AllLaws"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { suiteOf } from "@surety/testing/Law"
import * as TestStores from "./TestStores.js"

// Other files run all laws on a PostgreSQL server. partition/laws.test.ts covers tables partitioned by month.
// packages/cells/test/law/laws.test.ts covers unpartitioned tables and the stores' own connections.
suiteOf("Every storage port", laws)("pglite", TestStores.pglite)

AnyOrder.suite("postgres as the role that serves", TestStores.serving, { sample: 40 })
AnyOrder.suite("pglite", TestStores.pglite, { sample: 40 })
