import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { giveUpUnread } from "@surety/http/node/UnreadAnswers"
import { Connections } from "./Connections.js"
import { endGracefully } from "./gracefulEnd.js"

/** Longer than a large body waits for room, and takes to arrive then. */
const requestTimeoutMillis = 60_000
const headersTimeoutMillis = 10_000
const keepAliveTimeoutMillis = 65_000
const maxHeaderBytes = 16 * 1024
const timeoutCheckMillis = 2_000

/**
 * Effect's server asks Node to check that what is written is as long as was said, which makes two writes of one. What
 * is written here is whole texts, whose length is theirs.
 */
class WholeResponse extends ServerResponse {}

Object.defineProperty(WholeResponse.prototype, "strictContentLength", { get: () => false, set: () => {} })

/** How long a client has to read the answer before its connection is cut. */
const farewellMillis = 500

/**
 * Answers bytes that never became a request. Requests that came before them on the connection are answered first, since
 * a client takes answers in the order of its requests.
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
 * Node's server with bounds for slow and large requests. `malformed` answers a connection whose bytes never became a
 * request, by the error's code; `isOfRequest` where they were to be the body of one that has begun.
 */
export const makeNodeServer = (malformed: (errorCode: string | undefined, isOfRequest: boolean) => string): Server => {
  const server = createServer({
    ServerResponse: WholeResponse,
    requestTimeout: requestTimeoutMillis,
    headersTimeout: headersTimeoutMillis,
    connectionsCheckingInterval: timeoutCheckMillis,
    keepAliveTimeout: keepAliveTimeoutMillis,
    maxHeaderSize: maxHeaderBytes,
    // Node would answer with an empty 400; the interface answers with a problem.
    requireHostHeader: false,
    // Nothing here is upgraded to: a client that offers h2c, as some do with every request, is answered in HTTP/1.1.
    shouldUpgradeCallback: () => false
  })
  const connections = new Connections(server)
  const giveUp = (_: IncomingMessage, response: ServerResponse): void => giveUpUnread(response)
  server.on("request", giveUp).on("checkContinue", giveUp)
  server.on("clientError", (error: NodeJS.ErrnoException, connection) => {
    if (error.code === "ECONNRESET") connection.destroy()
    else refuse(connection, connections.unanswered(connection), (isOfRequest) => malformed(error.code, isOfRequest))
  })
  // A tunnel is asked for, and there is none: without this, the connection would end without a word.
  server.on("connect", (_, connection) => refuse(connection, undefined, () => malformed(undefined, false)))
  // An expectation that is not known may be left aside (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  endGracefully(server, connections)
  return server
}
