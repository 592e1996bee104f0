import * as VerificationLogLaws from "@surety/testing/kyc/VerificationLogLaws"
import * as TestStores from "./TestStores.js"

VerificationLogLaws.suite("postgres", TestStores.postgres)
VerificationLogLaws.suite("pglite", TestStores.pglite)
