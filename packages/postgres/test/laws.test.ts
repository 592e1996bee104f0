import { laws } from "@surety/testing/AllLaws"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { suiteOf } from "@surety/testing/Law"
import * as TestStores from "./TestStores.js"

// A server runs every law twice elsewhere: over tables by month (partition/laws.test.ts), and over whole tables, with
// connections of the stores' own, in packages/cells/test/law/laws.test.ts.
suiteOf("Every storage port", laws)("pglite", TestStores.pglite)

AnyOrder.suite("postgres as the role that serves", TestStores.serving, { sample: 40 })
AnyOrder.suite("pglite", TestStores.pglite, { sample: 40 })
