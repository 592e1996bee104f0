import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface ReceivedDelivery {
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
  readonly atMillis: number
}

/** A server that records each request and returns 204. */
export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<ReceivedDelivery>
  /** Waits until `count` deliveries have arrived. Dies after 90 s. */
  readonly waitFor: (count: number) => Effect.Effect<void>
}

export const receiver = Effect.gen(function* () {
  const received: Array<ReceivedDelivery> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      received.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks),
        atMillis: Date.now()
      })
      response.writeHead(204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const until = (count: number): Effect.Effect<void> =>
    Effect.suspend(() =>
      received.length >= count ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(count))
    )
  const waitFor = (count: number): Effect.Effect<void> =>
    Effect.timeoutOrElse(until(count), {
      duration: "90 seconds",
      orElse: () => Effect.die(new Error(`${received.length} of ${count} deliveries came within 90 s`))
    })
  return { url: `http://127.0.0.1:${port}/`, received, waitFor }
})
