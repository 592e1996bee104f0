import * as ConsentStoreLaws from "@surety/testing/ConsentStoreLaws"
import * as TestStores from "./TestStores.js"

ConsentStoreLaws.suite("postgres", TestStores.postgres)
ConsentStoreLaws.suite("pglite", TestStores.pglite)
