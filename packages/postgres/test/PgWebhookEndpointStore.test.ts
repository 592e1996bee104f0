import * as WebhookEndpointStoreLaws from "@surety/testing/event/WebhookEndpointStoreLaws"
import * as TestStores from "./TestStores.js"

WebhookEndpointStoreLaws.suite("postgres", TestStores.postgres)
WebhookEndpointStoreLaws.suite("pglite", TestStores.pglite)
