import type { IncomingMessage, Server, ServerResponse } from "node:http"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const events = ["request", "checkContinue"] as const

/**
 * Requests that arrive between the moment at which a server listens and the one at which the interface is attached to it.
 * Without this they would never be answered: the port is known only once the server listens, and the interface needs it.
 */
export class EarlyRequests {
  readonly #server: Server
  readonly #before: ReadonlySet<unknown>
  readonly #held: Array<readonly [event: (typeof events)[number], request: IncomingMessage, response: ServerResponse]> =
    []
  readonly #holding = new Map<(typeof events)[number], Listener>()

  /** Holds requests from now on. Existing listeners are called immediately, as before. */
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

  /** Passes the held requests to the listeners attached meanwhile, and stops holding. */
  release(): void {
    for (const [event, hold] of this.#holding) this.#server.off(event, hold)
    for (const [event, request, response] of this.#held.splice(0)) {
      for (const listener of this.#attached(event)) listener.call(this.#server, request, response)
    }
  }

  /** The listeners of the interface, once there are any. */
  #attached(event: (typeof events)[number]) {
    const holding = this.#holding.get(event)
    return this.#server.listeners(event).filter((listener) => listener !== holding && !this.#before.has(listener))
  }
}
