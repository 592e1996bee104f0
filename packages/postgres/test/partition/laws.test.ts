import { laws } from "@surety/testing/AllLaws"
import { suiteOf } from "@surety/testing/Law"
import * as PartitionedStores from "./PartitionedStores.js"

// One run covers monthly tables, a host's pool and the privileges of the serving role.
// packages/cells/test/law/laws.test.ts covers unpartitioned tables and the stores' own connections.
suiteOf("Every storage port, by month", laws)("a host's pool as the role that serves", PartitionedStores.storesOfHost)
