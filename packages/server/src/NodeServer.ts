import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { giveUpUnread } from "@surety/http/node/UnreadAnswers"
import { Connections } from "./Connections.js"
import { endGracefully } from "./gracefulEnd.js"

/** Maximum time to receive a request, including the time that a large body waits for memory. */
const requestTimeoutMillis = 60_000
const headersTimeoutMillis = 10_000
const keepAliveTimeoutMillis = 65_000
const maxHeaderBytes = 16 * 1024
const timeoutCheckMillis = 2_000

/**
 * Disables Node's content length check, which Effect's server enables. The check splits one write into two. This server
 * does not need it, since its bodies are complete and their length is always correct.
 */
class WholeResponse extends ServerResponse {}

Object.defineProperty(WholeResponse.prototype, "strictContentLength", { get: () => false, set: () => {} })

/** Time that a client gets to read a rejection before its connection is cut. */
const farewellMillis = 500

/**
 * Rejects a `CONNECT` request, or input that Node reports as a client error, and closes the connection. Sends nothing
 * if the connection is not writable or `unanswered` has been partly sent. If the request behind `unanswered` is
 * complete, sends only that response, since clients read responses in order.
 */
const refuse = (
  connection: Duplex,
  unanswered: ServerResponse | undefined,
  answer: (isOfRequest: boolean) => string
): void => {
  if (!connection.writable || unanswered?.headersSent === true) {
    connection.destroy()
  } else if (unanswered?.req.complete === true) {
    unanswered.shouldKeepAlive = false
  } else {
    connection.end(answer(unanswered !== undefined))
    setTimeout(() => connection.destroy(), farewellMillis).unref()
  }
}

/**
 * Builds a Node server with limits on slow requests and large headers. `malformed` builds the response to a client
 * error from Node's error code, which is undefined for a `CONNECT` request. `isOfRequest` is true if the error occurs
 * while the body of a request in flight is being received.
 */
export const makeNodeServer = (malformed: (errorCode: string | undefined, isOfRequest: boolean) => string): Server => {
  const server = createServer({
    ServerResponse: WholeResponse,
    requestTimeout: requestTimeoutMillis,
    headersTimeout: headersTimeoutMillis,
    connectionsCheckingInterval: timeoutCheckMillis,
    keepAliveTimeout: keepAliveTimeoutMillis,
    maxHeaderSize: maxHeaderBytes,
    // Node would respond to a missing `Host` header with an empty 400. The API sends a problem instead.
    requireHostHeader: false,
    // Upgrades are not supported. Clients that offer h2c with every request get HTTP/1.1.
    shouldUpgradeCallback: () => false
  })
  const connections = new Connections(server)
  const giveUp = (_: IncomingMessage, response: ServerResponse): void => giveUpUnread(response)
  server.on("request", giveUp).on("checkContinue", giveUp)
  server.on("clientError", (error: NodeJS.ErrnoException, connection) => {
    if (error.code === "ECONNRESET") connection.destroy()
    else refuse(connection, connections.unanswered(connection), (isOfRequest) => malformed(error.code, isOfRequest))
  })
  // `CONNECT` is not supported. Without this handler the connection would close without a response.
  server.on("connect", (_, connection) => refuse(connection, undefined, () => malformed(undefined, false)))
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  endGracefully(server, connections)
  return server
}
