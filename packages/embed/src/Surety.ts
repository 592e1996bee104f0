import type { HostTransactionConnection } from "@surety/postgres/HostConnection"
import type { Calls, TransactionalCalls } from "./Calls.js"
import type { Health } from "./Health.js"
import type { NodeHandler } from "./handler/nodeHandler.js"
import type { Workers } from "./Workers.js"

/** Surety inside a host's server. */
export interface Surety extends Calls {
  /**
   * Handles a request to the HTTP interface, for any server that speaks the web platform's `Request` and `Response`.
   * Paths begin with `basePath`; unknown ones get 404.
   */
  readonly handler: (request: Request) => Promise<Response>
  /**
   * The same for Node's own server and its frameworks, where it is the faster of the two. Mount it before any body
   * parser, because it reads bodies as they were sent. With `next`, it passes on requests outside `basePath`.
   *
   * @example
   * app.use(surety.nodeHandler) // Express, with `basePath: "/pay"`
   */
  readonly nodeHandler: NodeHandler
  /** Background work: webhooks, recovery, expiry. At least one process has to start it. */
  readonly workers: Workers
  /**
   * Resolves if the database responds and has this release's tables; else rejects with `StoreNotOpened`. For a host's
   * readiness probe.
   */
  readonly ready: () => Promise<void>
  /** How Surety is, for a host's health page. Never rejects while Surety is open. */
  readonly health: () => Promise<Health>
  /**
   * This process's metrics in Prometheus' text format (`text/plain; version=0.0.4`), which a host serves or adds to its
   * own. All instances in a process count together.
   *
   * @example
   * app.get("/metrics", async (_, response) => {
   *   response.type("text/plain; version=0.0.4").send(await surety.metrics())
   * })
   */
  readonly metrics: () => Promise<string>
  /**
   * Stops the workers and releases connections. Call it once the host's server is closed: later requests get 503, later
   * calls reject. The host's own pool stays open.
   */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Surety over a PostgreSQL store. */
export interface TransactionalSurety extends Surety {
  /**
   * The calls inside a transaction that the host has begun on this connection of `pg`: the host's rows and, say, a
   * refund commit together or not at all. The host commits or rolls back. Takes a `Client` or `PoolClient` of `pg`;
   * rejects for a pool, another library's transaction, or a connection that is in no transaction.
   *
   * @example
   * await client.query("begin")
   * await client.query("update orders set status = 'refunded' where id = $1", [order.id])
   * const refund = await surety.inTransaction(client).refunds.create({ … })
   * await client.query(refund.ok ? "commit" : "rollback")
   */
  readonly inTransaction: (connection: HostTransactionConnection) => TransactionalCalls
}
