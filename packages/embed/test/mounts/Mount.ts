import type { Server } from "node:http"
import type { Surety } from "@surety/embed"

/** Where every host of these tests has Surety. */
export const prefix = "/shop/pay"

/**
 * A host's server, with Surety below `prefix` and a route of its own, `POST /shop/orders`, that returns what it parsed.
 */
export interface HostServer {
  /** Listens on a free port of 127.0.0.1. Returns its url. */
  readonly listen: () => Promise<string>
  /** Closes the framework, which finishes requests in flight. */
  readonly close: () => Promise<void>
}

/** How a framework takes Surety. */
export interface Mount {
  readonly framework: string
  readonly mount: (surety: Surety) => Promise<HostServer>
  /** The mistake: a parser reads the bodies before Surety gets the requests. */
  readonly mountBehindParser: (surety: Surety) => Promise<HostServer>
}

/** The port that a server was given. */
export const urlOf = (server: Server): string => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The server does not listen.")
  return `http://127.0.0.1:${address.port}`
}

/** A host's server on Node's own. */
export const nodeServer = (server: Server): HostServer => ({
  listen: () =>
    new Promise((resolve, reject) => {
      server.once("error", reject)
      server.listen(0, "127.0.0.1", () => resolve(urlOf(server)))
    }),
  close: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())))
})
