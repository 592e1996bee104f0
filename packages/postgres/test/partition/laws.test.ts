import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import * as PartitionedStores from "./PartitionedStores.js"

suiteOf("Every storage port, by month", laws)("postgres", PartitionedStores.stores)
