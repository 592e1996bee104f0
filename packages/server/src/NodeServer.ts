import { createServer, type Server } from "node:http"

const requestTimeoutMillis = 30_000
const headersTimeoutMillis = 10_000
const keepAliveTimeoutMillis = 65_000
const maxHeaderBytes = 16 * 1024
const sweepMillis = 50

/**
 * Node's server with bounds for slow and large requests. While it closes it drops connections as they fall idle:
 * otherwise one that was busy when closing began would hold the process until its keep-alive ends.
 */
export const makeNodeServer = (): Server => {
  const server = createServer({
    requestTimeout: requestTimeoutMillis,
    headersTimeout: headersTimeoutMillis,
    keepAliveTimeout: keepAliveTimeoutMillis,
    maxHeaderSize: maxHeaderBytes
  })
  const close = server.close.bind(server)
  server.close = (callback) => {
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMillis)
    return close((error) => {
      clearInterval(sweep)
      callback?.(error)
    })
  }
  return server
}
