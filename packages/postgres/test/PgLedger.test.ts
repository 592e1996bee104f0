import * as LedgerLaws from "@surety/testing/ledger/LedgerLaws"
import * as TestStores from "./TestStores.js"

LedgerLaws.suite("postgres", TestStores.postgres)
LedgerLaws.suite("pglite", TestStores.pglite)
