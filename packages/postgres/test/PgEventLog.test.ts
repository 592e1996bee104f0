import * as EventLogLaws from "@surety/testing/event/EventLogLaws"
import * as TestStores from "./TestStores.js"

EventLogLaws.suite("postgres", TestStores.postgres)
EventLogLaws.suite("pglite", TestStores.pglite)
