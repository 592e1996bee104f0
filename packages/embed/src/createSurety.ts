import type { NodeHandler } from "./handler/nodeHandler.js"
import type { Surety, TransactionalSurety } from "./Surety.js"
import type { SuretyOptions } from "./SuretyOptions.js"
import type { TransactionalStore } from "./store/HostStore.js"

/**
 * Creates Surety inside a host's server: calls that return promises, a handler for the HTTP API, and workers. Rejects
 * with `InvalidOptions`, which lists every fault, or with `StoreNotOpened`.
 *
 * @example
 * import { createSurety, postgresStore } from "@surety/embed"
 *
 * const surety = await createSurety({ store: postgresStore({ pool }), secretsKey })
 * await surety.workers.start()
 */
export function createSurety(options: SuretyOptions<TransactionalStore>): Promise<TransactionalSurety>
export function createSurety(options: SuretyOptions): Promise<Surety>
export async function createSurety(options: SuretyOptions): Promise<Surety | TransactionalSurety> {
  const { createSuretyWith } = await import("./assemble.js")
  return createSuretyWith(options)
}

/**
 * Returns a request listener for Node's own HTTP server: `surety.nodeHandler`.
 *
 * @example
 * import { createServer } from "node:http"
 * import { toNodeHandler } from "@surety/embed"
 *
 * createServer(toNodeHandler(surety)).listen(3000)
 */
export const toNodeHandler = ({ nodeHandler }: Pick<Surety, "nodeHandler">): NodeHandler => nodeHandler
