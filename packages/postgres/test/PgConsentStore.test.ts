import * as ConsentStoreLaws from "@surety/testing/consent/ConsentStoreLaws"
import * as TestStores from "./TestStores.js"

ConsentStoreLaws.suite("postgres", TestStores.postgres)
ConsentStoreLaws.suite("pglite", TestStores.pglite)
