import { suiteOf } from "@surety/testing/Law"
import { laws } from "@surety/testing/postgres/PostgresLaws"
import * as TestStores from "./TestStores.js"

suiteOf("A store on PostgreSQL", laws)("postgres", TestStores.postgres)
