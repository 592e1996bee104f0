import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { TLSSocket } from "node:tls"
import type { TestCertificate } from "@surety/testing/machine/TestCertificate"
import { Effect } from "effect"

export interface Seen {
  readonly host: string | undefined
  /** Server name from the handshake (SNI), or false if the client sent none. */
  readonly servername: string | false | null | undefined
  /** The receiver's local address on this connection. */
  readonly calledAt: string | undefined
}

export interface SecureReceiver {
  readonly port: number
  readonly seen: ReadonlyArray<Seen>
  /** Includes connections that ended before a request. */
  readonly connections: { opened: number }
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Runs a merchant's TLS receiver on a free local port, at 127.0.0.1 or at all local addresses. */
export const secureReceiver = (
  { cert, key }: TestCertificate,
  { headers = {}, status = 200 }: Answer = {},
  at: "127.0.0.1" | "everywhere" = "127.0.0.1"
) =>
  Effect.acquireRelease(
    Effect.callback<SecureReceiver & { readonly close: () => void }>((resume) => {
      const seen: Array<Seen> = []
      const connections = { opened: 0 }
      const server = createServer({ cert, key }, (request, response) => {
        const { socket } = request
        const servername = socket instanceof TLSSocket ? socket.servername : undefined
        seen.push({ host: request.headers.host, servername, calledAt: socket.localAddress })
        request.resume().on("end", () => response.writeHead(status, headers).end("seen"))
      })
      server.on("connection", () => connections.opened++)
      server.on("tlsClientError", () => undefined)
      server.listen({ port: 0, host: at === "everywhere" ? undefined : at }, () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ port, seen, connections, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
