import { createServer } from "node:http"
import { Effect } from "effect"

/** Serves a request handler on 127.0.0.1 at the port of `publicUrl`, until the scope closes. */
export const served = Effect.fnUntraced(function* (
  handler: (request: Request) => Promise<Response>,
  publicUrl: string
) {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const headers = new Headers()
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === "string") headers.set(name, value)
      const method = request.method ?? "GET"
      const body = method === "GET" ? undefined : new Uint8Array(Buffer.concat(chunks))
      const answer = await handler(
        new Request(`${publicUrl}${request.url}`, { method, headers, ...(body === undefined ? {} : { body }) })
      )
      response.writeHead(answer.status, [...answer.headers].flat())
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(
      () => new Promise<void>((resolve) => server.listen(Number(new URL(publicUrl).port), "127.0.0.1", resolve))
    ),
    () =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )
})
