import { createServer, type Server, ServerResponse } from "node:http"

const requestTimeoutMillis = 30_000
const headersTimeoutMillis = 10_000
const keepAliveTimeoutMillis = 65_000
const maxHeaderBytes = 16 * 1024
const connectionsCheckingIntervalMillis = 1_000
const sweepMillis = 50

/**
 * Effect's server asks Node to check that what is written is as long as was said, which makes two writes of one. What
 * is written here is whole texts, whose length is theirs.
 */
class WholeResponse extends ServerResponse {}

Object.defineProperty(WholeResponse.prototype, "strictContentLength", { get: () => false, set: () => {} })

/**
 * Node's server with bounds for slow and large requests, which it looks for every second and not every 30 s. `malformed` answers a connection whose bytes never became a
 * request, by the error's code. While the server closes it drops connections as they fall idle: otherwise one that was
 * busy when closing began would hold the process until its keep-alive ends.
 */
export const makeNodeServer = (malformed: (errorCode: string | undefined) => string): Server => {
  const server = createServer({
    ServerResponse: WholeResponse,
    requestTimeout: requestTimeoutMillis,
    headersTimeout: headersTimeoutMillis,
    keepAliveTimeout: keepAliveTimeoutMillis,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: connectionsCheckingIntervalMillis
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy()
    else socket.end(malformed(error.code))
  })
  // Node would answer 417 without a body. An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
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
