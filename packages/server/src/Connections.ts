import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** A server's open connections, each with its most recent response. */
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

  /** Returns the unfinished response to the last request on a connection, if any. */
  unanswered(connection: Duplex): ServerResponse | undefined {
    const latest = this.#latest.get(connection)
    return latest === undefined || latest.writableFinished || latest.destroyed ? undefined : latest
  }
}
