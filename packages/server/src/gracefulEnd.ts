import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Connections } from "./Connections.js"

/** How long an idle connection may still deliver a request. */
const lingerMillis = 500

/** All connections are cut after this, so that the process ends within 30 seconds (contract 15). */
const longestMillis = 28_000

const sweepMillis = 50

const sayClose = (_: IncomingMessage, response: ServerResponse): void => {
  response.shouldKeepAlive = false
}

/** Closes idle connections until none is left or the time is up. Returns a function that stops it. */
const sweep = (server: Server, connections: Connections): (() => void) => {
  const beganAt = performance.now()
  const timer = setInterval(() => {
    const millis = performance.now() - beganAt
    if (millis > longestMillis) server.closeAllConnections()
    if (millis < lingerMillis) return
    for (const connection of connections) {
      if (connections.unanswered(connection) === undefined && connection.writableLength === 0) connection.destroy()
    }
  }, sweepMillis)
  return () => clearInterval(timer)
}

/**
 * Makes the server's `close` drain its connections. Requests in flight, and those that still arrive on open
 * connections, are answered with `Connection: close`. A keep-alive client then reconnects elsewhere without losing a
 * request. Idle connections are closed after that.
 *
 * Node's own `close` ends idle connections at once, and waits forever for a request that never completes.
 */
export const endGracefully = (server: Server, connections: Connections): void => {
  const close = server.close.bind(server)
  server.close = (callback) => {
    server.prependListener("request", sayClose).prependListener("checkContinue", sayClose)
    for (const connection of connections) {
      const response = connections.unanswered(connection)
      if (response !== undefined) response.shouldKeepAlive = false
    }
    server.closeIdleConnections = () => {}
    const stop = sweep(server, connections)
    return close((error) => {
      stop()
      callback?.(error)
    })
  }
}
