import * as VerificationLogLaws from "@surety/testing/VerificationLogLaws"
import * as TestStores from "./TestStores.js"

VerificationLogLaws.suite("postgres", TestStores.postgres)
VerificationLogLaws.suite("pglite", TestStores.pglite)
