import type { Server } from "node:http"
import type { Surety } from "@surety/embed"

/** The base path of Surety in tests that use a `Mount`. */
export const prefix = "/shop/pay"

/** A host's server in which Surety is mounted. */
export interface HostServer {
  /** Listens on a free port of 127.0.0.1. Returns the server's url. */
  readonly listen: () => Promise<string>
  /** Resolves once the requests in flight are answered. */
  readonly close: () => Promise<void>
}

/**
 * A framework under test. The server that `mount` returns also has the host's own route, `POST /shop/orders`, which
 * returns the request's body.
 */
export interface Mount {
  readonly framework: string
  readonly mount: (surety: Surety) => Promise<HostServer>
  /** Mounts Surety incorrectly: a parser reads the bodies before Surety receives the requests. */
  readonly mountBehindParser: (surety: Surety) => Promise<HostServer>
}

export const urlOf = (server: Server): string => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The server does not listen.")
  return `http://127.0.0.1:${address.port}`
}

export const nodeServer = (server: Server): HostServer => ({
  listen: () =>
    new Promise((resolve, reject) => {
      server.once("error", reject)
      server.listen(0, "127.0.0.1", () => resolve(urlOf(server)))
    }),
  close: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())))
})
