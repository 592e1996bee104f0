import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  /** Alternating names and values, as sent. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer
  readonly at: number
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly connections: { opened: number; open: number }
}

export type Answering = (response: ServerResponse, received: Received, index: number) => void

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ""): Answering =>
  (response) =>
    response.writeHead(status, headers).end(body)

const read = async (request: IncomingMessage): Promise<Received> => {
  const at = performance.now()
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const { headers, method, rawHeaders, url } = request
  return { method, url, headers, rawHeaders, body: Buffer.concat(chunks), at }
}

/** Runs an HTTP receiver on a free local port while the scope is open. Records each request, then calls `answering`. */
export const receiver = (answering: Answering) =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly close: () => void }>((resume) => {
      const received: Array<Received> = []
      const connections = { opened: 0, open: 0 }
      const server = createServer((request, response) => {
        read(request).then(
          (one) => {
            received.push(one)
            answering(response, one, received.length - 1)
          },
          () => undefined
        )
      })
      server.on("connection", (socket) => {
        connections.opened++
        connections.open++
        socket.on("close", () => connections.open--)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, connections, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/**
 * Calls `then` after `count` turns of the event loop. Given enough turns, data written earlier to this process's own
 * sockets has arrived, even if the process was paused.
 */
export const afterTurns = (count: number, then: () => void): void => {
  if (count === 0) then()
  else setImmediate(() => afterTurns(count - 1, then))
}

/** Waits in real time, even under a test clock, until the condition holds. Dies after `withinMillis`. */
export const eventually = (what: string, isSo: () => boolean, withinMillis = 30_000): Effect.Effect<void> =>
  Effect.promise(async () => {
    const deadline = performance.now() + withinMillis
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`Not within ${withinMillis} ms: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })
