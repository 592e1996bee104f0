import * as PgClient from "@effect/sql-pg/PgClient"
import * as WebhookEndpointStoreLaws from "@surety/testing/event/WebhookEndpointStoreLaws"
import { type Law, suiteOf } from "@surety/testing/Law"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as OperatorActionStoreLaws from "@surety/testing/operator/OperatorActionStoreLaws"
import * as ProposalStoreLaws from "@surety/testing/operator/ProposalStoreLaws"
import * as RefundConcurrencyLaws from "@surety/testing/refund/RefundConcurrencyLaws"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "./MigratedDatabase.js"
import * as TestStores from "./TestStores.js"

/** Client whose sessions begin transactions as `repeatable read`, as a role's or a database's default may demand. */
const strict = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    PgClient.layer({ url, maxConnections: 16, startupParameters: { default_transaction_isolation: "repeatable read" } })
  )
)

const stores = Layer.provideMerge(TestStores.stores, Layer.provideMerge(strict, MigratedDatabase.layer))

/** Laws of commits that take a lock and then read what others have committed. */
const laws: ReadonlyArray<Law<Layer.Success<typeof stores>>> = [
  ...OperatorActionStoreLaws.laws,
  ...ProposalStoreLaws.laws,
  ...WebhookEndpointStoreLaws.laws,
  ...RefundConcurrencyLaws.laws
]

suiteOf("A commit that locks and reads", laws)("under a stricter default isolation level", stores)
