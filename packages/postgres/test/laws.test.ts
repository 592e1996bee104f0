import { laws } from "@surety/testing/AllLaws"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { suiteOf } from "@surety/testing/Law"
import * as TestStores from "./TestStores.js"

// On a PostgreSQL server, this suite runs in other files: over tables partitioned by month in partition/laws.test.ts,
// and over unpartitioned tables, with the stores' own connections, in packages/cells/test/law/laws.test.ts.
suiteOf("Every storage port", laws)("pglite", TestStores.pglite)

AnyOrder.suite("postgres as the role that serves", TestStores.serving, { sample: 40 })
AnyOrder.suite("pglite", TestStores.pglite, { sample: 40 })
