import * as PaymentStoreLaws from "@surety/testing/payment/PaymentStoreLaws"
import * as TestStores from "./TestStores.js"

PaymentStoreLaws.suite("postgres", TestStores.postgres)
PaymentStoreLaws.suite("pglite", TestStores.pglite)
