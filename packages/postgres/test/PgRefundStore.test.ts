import * as RefundStoreLaws from "@surety/testing/refund/RefundStoreLaws"
import * as TestStores from "./TestStores.js"

RefundStoreLaws.suite("postgres", TestStores.postgres)
RefundStoreLaws.suite("pglite", TestStores.pglite)
