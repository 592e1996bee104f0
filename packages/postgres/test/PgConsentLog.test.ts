import * as ConsentLogLaws from "@surety/testing/ConsentLogLaws"
import * as TestStores from "./TestStores.js"

ConsentLogLaws.suite("postgres", TestStores.postgres)
ConsentLogLaws.suite("pglite", TestStores.pglite)
