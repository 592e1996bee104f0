import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import * as PartitionedStores from "./PartitionedStores.js"

// One run for both: a mistake that breaks a law over tables by month or over a host's pool breaks it here too.
suiteOf("Every storage port, by month", laws)("a host's pool", PartitionedStores.storesOfHost)
