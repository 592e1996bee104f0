import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import * as PartitionedStores from "./PartitionedStores.js"

// One run for all three: a mistake that breaks a law over tables by month, over a host's pool or with the rights of the
// role that serves breaks it here too. Whole tables and connections of the stores' own have the laws over cells.
suiteOf("Every storage port, by month", laws)("a host's pool as the role that serves", PartitionedStores.storesOfHost)
