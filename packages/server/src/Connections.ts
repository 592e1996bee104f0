import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** A server's open connections, and the last request that each has brought. */
export class Connections {
  readonly #open = new Set<Duplex>()
  readonly #latest = new WeakMap<Duplex, ServerResponse>()

  constructor(server: Server) {
    server.on("connection", (connection) => {
      this.#open.add(connection)
      connection.once("close", () => this.#open.delete(connection))
    })
    const note = (request: IncomingMessage, response: ServerResponse): void => {
      this.#latest.set(request.socket, response)
    }
    server.on("request", note).on("checkContinue", note)
  }

  [Symbol.iterator](): Iterator<Duplex> {
    return this.#open.values()
  }

  /** The answer that is still to be given on a connection, the last of them where requests came in a row. */
  unanswered(connection: Duplex): ServerResponse | undefined {
    const latest = this.#latest.get(connection)
    return latest === undefined || latest.writableFinished || latest.destroyed ? undefined : latest
  }
}
