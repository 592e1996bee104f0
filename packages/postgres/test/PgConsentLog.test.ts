import * as ConsentLogLaws from "@surety/testing/consent/ConsentLogLaws"
import * as ConsentPersonLaws from "@surety/testing/consent/ConsentPersonLaws"
import * as TestStores from "./TestStores.js"

ConsentLogLaws.suite("postgres", TestStores.postgres)
ConsentLogLaws.suite("pglite", TestStores.pglite)
ConsentPersonLaws.suite("postgres", TestStores.postgres)
ConsentPersonLaws.suite("pglite", TestStores.pglite)
