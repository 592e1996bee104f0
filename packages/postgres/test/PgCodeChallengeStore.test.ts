import * as CodeChallengeStoreLaws from "@surety/testing/consent/CodeChallengeStoreLaws"
import * as TestStores from "./TestStores.js"

CodeChallengeStoreLaws.suite("postgres", TestStores.postgres)
CodeChallengeStoreLaws.suite("pglite", TestStores.pglite)
