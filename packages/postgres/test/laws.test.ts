import * as AnyOrder from "@surety/testing/AnyOrder"
import * as TestStores from "./TestStores.js"

AnyOrder.suite("postgres", TestStores.postgres, { sample: 40 })
AnyOrder.suite("pglite", TestStores.pglite, { sample: 40 })
