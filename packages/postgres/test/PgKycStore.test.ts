import * as KycStoreLaws from "@surety/testing/kyc/KycStoreLaws"
import * as TestStores from "./TestStores.js"

KycStoreLaws.suite("postgres", TestStores.postgres)
KycStoreLaws.suite("pglite", TestStores.pglite)
