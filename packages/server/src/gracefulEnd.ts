import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Connections } from "./Connections.js"

/** How long an idle connection may still deliver a request after `close` is called. */
const lingerMillis = 500

/** Time after which all connections are cut, so that the process ends within 30 seconds (contract 15). */
const longestMillis = 28_000

const sweepMillis = 50

const sayClose = (_: IncomingMessage, response: ServerResponse): void => {
  response.shouldKeepAlive = false
}

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
 * connections, get a response with `Connection: close`. A keep-alive client then connects to another server without
 * losing a request. Idle connections are closed after `lingerMillis`, and all others after `longestMillis` at the
 * latest.
 *
 * Node's own `close` ends idle connections immediately, and waits forever for a request that never completes.
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
