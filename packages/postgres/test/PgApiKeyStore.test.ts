import * as ApiKeyStoreLaws from "@surety/testing/merchant/ApiKeyStoreLaws"
import * as TestStores from "./TestStores.js"

ApiKeyStoreLaws.suite("postgres", TestStores.postgres)
ApiKeyStoreLaws.suite("pglite", TestStores.pglite)
