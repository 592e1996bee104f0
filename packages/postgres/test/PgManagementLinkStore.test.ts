import * as ManagementLinkStoreLaws from "@surety/testing/consent/ManagementLinkStoreLaws"
import * as TestStores from "./TestStores.js"

ManagementLinkStoreLaws.suite("postgres", TestStores.postgres)
ManagementLinkStoreLaws.suite("pglite", TestStores.pglite)
