import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Connections } from "./Connections.js"

/** For how long a connection without a request under way may still bring one. */
const lingerMillis = 500

/** After this every connection is cut, so that the process is gone within the 30 seconds of contract 15. */
const longestMillis = 28_000

const sweepMillis = 50

const sayClose = (_: IncomingMessage, response: ServerResponse): void => {
  response.shouldKeepAlive = false
}

/** Closes connections that have no request under way, until all are gone or the time is over. Answers how to stop. */
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
 * Makes the server's `close` end its connections well. Each request that is under way, or that still comes on an open
 * connection, is answered, and its answer says `Connection: close`: so a client that keeps its connections is told to
 * go elsewhere, and does not find out by a request that leads nowhere. What then has no request under way is closed.
 *
 * Node's own close ends idle connections at once, and waits for ever for those that never send a whole request.
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
