import * as RateLimitStoreLaws from "@surety/testing/limit/RateLimitStoreLaws"
import * as TestStores from "./TestStores.js"

RateLimitStoreLaws.suite("postgres", TestStores.postgres)
RateLimitStoreLaws.suite("pglite", TestStores.pglite)
