import * as MerchantStoreLaws from "@surety/testing/merchant/MerchantStoreLaws"
import * as TestStores from "./TestStores.js"

MerchantStoreLaws.suite("postgres", TestStores.postgres)
MerchantStoreLaws.suite("pglite", TestStores.pglite)
