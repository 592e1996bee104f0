import { randomInt } from "node:crypto"
import { connect, createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { listenInPlaceOf } from "./listenInPlaceOf.js"

/** A pooler in front of a PostgreSQL server, in transaction or statement mode. */
export interface TransactionPooler {
  readonly url: Redacted.Redacted
}

const sslRequest = 80877103
const cancelRequest = 80877102

/** Splits a stream into PostgreSQL messages. Each message is a letter, a length and a body. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)

  take(bytes: Buffer): ReadonlyArray<Buffer> {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const whole: Array<Buffer> = []
    while (this.#rest.length >= 5) {
      const end = 1 + this.#rest.readUInt32BE(1)
      if (this.#rest.length < end) break
      whole.push(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
    }
    return whole
  }
}

const letterOf = (message: Buffer): string => String.fromCharCode(message[0] ?? 0)

interface Backend {
  readonly socket: Socket
  /** The 8-byte key that cancels the backend's statement: the backend's process id and a secret. */
  key: Buffer | undefined
  /** The client that holds the backend. Undefined while the backend is idle. */
  client: Client | undefined
}

interface Client {
  readonly socket: Socket
  backend: Backend | undefined
  /** Number of outstanding responses. Each ends with `ReadyForQuery`. */
  awaited: number
  readonly waiting: Array<Buffer>
}

/** Messages whose response ends with `ReadyForQuery`: query, sync and function call. */
const endsCycle = new Set(["Q", "S", "F"])

/**
 * How long a client holds a server connection: for a transaction or for a statement. With `statement`, the pooler
 * closes the connection of a client that sends `begin`. PgBouncer with `pool_mode = statement` also rejects
 * transactions.
 */
export type Lending = "transaction" | "statement"

/** True if the text of a query, or of a statement to prepare, starts with `begin`. */
const begins = (message: Buffer): boolean =>
  ["Q", "P"].includes(letterOf(message)) && /(?:^|\0)begin/iu.test(message.subarray(5).toString("latin1"))

/**
 * Starts a pooler that lends a client a server connection for one transaction or one statement, depending on `lending`.
 * It lends the connection that has been idle longest. With several connections, a client therefore often gets a
 * different one. This exposes code that relies on a connection's state. Like PgBouncer before 1.21, the pooler tracks
 * no prepared statements. Each client gets its own cancellation number instead of the backend's. The pooler stops when
 * the scope closes.
 */
export const make = Effect.fnUntraced(function* (target: Redacted.Redacted, lending: Lending = "transaction") {
  const { hostname, port } = new URL(Redacted.value(target))
  const idle: Array<Backend> = []
  const queue: Array<Client> = []
  const sockets = new Set<Socket>()

  const dial = (): Socket => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.add(socket)
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
    return socket
  }

  /** Clients by cancellation number. */
  const clients = new Map<number, Client>()

  const cancel = (number: number): void => {
    const key = clients.get(number)?.backend?.key
    if (key === undefined) return
    const request = Buffer.alloc(8)
    request.writeUInt32BE(16, 0)
    request.writeUInt32BE(cancelRequest, 4)
    dial().end(Buffer.concat([request, key]))
  }

  const lend = (): void => {
    for (let backend = idle[0]; backend !== undefined && queue.length > 0; backend = idle[0]) {
      const client = queue.shift()
      if (client === undefined || client.socket.destroyed) continue
      idle.shift()
      backend.client = client
      client.backend = backend
      for (const message of client.waiting.splice(0)) backend.socket.write(message)
    }
  }

  const giveBack = (backend: Backend): void => {
    if (backend.client !== undefined) backend.client.backend = undefined
    backend.client = undefined
    idle.push(backend)
    lend()
  }

  const fromBackend = (backend: Backend, message: Buffer): void => {
    const { client } = backend
    if (client === undefined) return
    client.socket.write(message)
    if (letterOf(message) !== "Z") return
    client.awaited -= 1
    if (client.awaited === 0 && message[5] === "I".charCodeAt(0)) giveBack(backend)
  }

  const fromClient = (client: Client, message: Buffer): void => {
    if (letterOf(message) === "X") return
    if (lending === "statement" && begins(message)) {
      client.socket.destroy()
      return
    }
    if (endsCycle.has(letterOf(message))) client.awaited += 1
    if (client.backend !== undefined) {
      client.backend.socket.write(message)
      return
    }
    if (client.waiting.length === 0) queue.push(client)
    client.waiting.push(message)
    lend()
  }

  /**
   * Opens a server connection with the client's own start-up message. The client and the server thus authenticate
   * directly, and the pooler needs no password.
   */
  const open = (socket: Socket, greeting: Buffer): void => {
    const backend: Backend = { socket: dial(), key: undefined, client: undefined }
    const client: Client = { socket, backend, awaited: 1, waiting: [] }
    backend.client = client
    backend.socket.write(greeting)
    const replies = new Messages()
    const requests = new Messages()
    backend.socket.on("data", (bytes) => {
      for (const message of replies.take(bytes)) {
        // Poolers send each client its own number, because the client's statements run on many backends.
        if (letterOf(message) === "K") {
          backend.key = Buffer.from(message.subarray(5, 13))
          const number = randomInt(2 ** 30, 2 ** 31 - 1)
          clients.set(number, client)
          message.writeInt32BE(number, 5)
          socket.on("close", () => clients.delete(number))
        }
        fromBackend(backend, message)
      }
    })
    backend.socket.on("close", () => {
      const at = idle.indexOf(backend)
      if (at >= 0) idle.splice(at, 1)
      backend.client?.socket.destroy()
    })
    socket.on("data", (bytes) => {
      for (const message of requests.take(bytes)) fromClient(client, message)
    })
    socket.on("close", () => {
      // Closing the backend's connection rolls back the client's transaction.
      client.backend?.socket.destroy()
    })
  }

  const greet = (socket: Socket): void => {
    socket.once("data", (greeting: Buffer) => {
      const code = greeting.readUInt32BE(4)
      if (code === cancelRequest) {
        cancel(greeting.readInt32BE(8))
        socket.destroy()
      } else if (code === sslRequest) {
        socket.write("N")
        greet(socket)
      } else open(socket, greeting)
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
    greet(socket)
  })
  const pooler: TransactionPooler = { url: yield* listenInPlaceOf(target, server, sockets) }
  return pooler
})
