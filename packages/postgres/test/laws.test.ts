import { laws } from "@surety/testing/AllLaws"
import * as AnyOrder from "@surety/testing/AnyOrder"
import { suiteOf } from "@surety/testing/Law"
import * as TestStores from "./TestStores.js"

const everyPort = suiteOf("Every storage port", laws)

everyPort("postgres as the role that serves", TestStores.serving)
everyPort("pglite", TestStores.pglite)

AnyOrder.suite("postgres as the role that serves", TestStores.serving, { sample: 40 })
AnyOrder.suite("pglite", TestStores.pglite, { sample: 40 })
