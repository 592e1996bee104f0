import * as ConsentUpkeepLaws from "@surety/testing/consent/ConsentUpkeepLaws"
import * as TestStores from "./TestStores.js"

ConsentUpkeepLaws.suite("postgres", TestStores.postgres)
ConsentUpkeepLaws.suite("pglite", TestStores.pglite)
