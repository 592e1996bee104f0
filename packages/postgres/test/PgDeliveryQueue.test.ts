import * as DeliveryQueueLaws from "@surety/testing/event/DeliveryQueueLaws"
import * as TestStores from "./TestStores.js"

DeliveryQueueLaws.suite("postgres", TestStores.postgres)
DeliveryQueueLaws.suite("pglite", TestStores.pglite)
