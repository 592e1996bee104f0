import * as KeyCanaryStoreLaws from "@surety/testing/secret/KeyCanaryStoreLaws"
import * as TestStores from "./TestStores.js"

KeyCanaryStoreLaws.suite("postgres", TestStores.postgres)
KeyCanaryStoreLaws.suite("pglite", TestStores.pglite)
