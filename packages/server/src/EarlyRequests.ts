import type { IncomingMessage, Server, ServerResponse } from "node:http"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const events = ["request", "checkContinue"] as const

/**
 * Holds requests that arrive after a server starts listening but before its routes are attached. They would otherwise
 * never get a response. Routes are attached late because they need the port, which is known only once the server
 * listens.
 */
export class EarlyRequests {
  readonly #server: Server
  readonly #before: ReadonlySet<unknown>
  readonly #held: Array<readonly [event: (typeof events)[number], request: IncomingMessage, response: ServerResponse]> =
    []
  readonly #holding = new Map<(typeof events)[number], Listener>()

  /** Starts holding requests. Existing listeners are still called immediately. */
  constructor(server: Server) {
    this.#server = server
    this.#before = new Set(events.flatMap((event) => server.listeners(event)))
    for (const event of events) {
      const hold: Listener = (request, response) => {
        if (this.#attached(event).length === 0) this.#held.push([event, request, response])
      }
      this.#holding.set(event, hold)
      server.on(event, hold)
    }
  }

  /** Stops holding and passes the held requests to the listeners attached since holding began. */
  release(): void {
    for (const [event, hold] of this.#holding) this.#server.off(event, hold)
    for (const [event, request, response] of this.#held.splice(0)) {
      for (const listener of this.#attached(event)) listener.call(this.#server, request, response)
    }
  }

  #attached(event: (typeof events)[number]) {
    const holding = this.#holding.get(event)
    return this.#server.listeners(event).filter((listener) => listener !== holding && !this.#before.has(listener))
  }
}
