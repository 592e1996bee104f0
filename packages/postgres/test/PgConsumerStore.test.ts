import * as ConsumerStoreLaws from "@surety/testing/consumer/ConsumerStoreLaws"
import * as TestStores from "./TestStores.js"

ConsumerStoreLaws.suite("postgres", TestStores.postgres)
ConsumerStoreLaws.suite("pglite", TestStores.pglite)
