import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import type { ClientOptions } from "../src/index.js"

/** Effect of the network on one request. */
export type Mishap =
  | "arrives"
  /** The connection breaks before the request reaches the service. */
  | "breaks on the way there"
  /** The service performs the request, but the connection breaks before the response. */
  | "breaks on the way back"
  /** The service performs the request, but the connection breaks during the response. */
  | "breaks within the answer"
  /** The service performs the request, but only half of the response arrives, as if complete. */
  | "comes back in half"
  /** The service performs the request, but no response ever arrives. */
  | "hangs"
  /** A proxy responds instead of the service. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** A request as the network received it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A real HTTP server in front of the service. It applies the next queued mishap to each request. */
export interface Network extends AsyncDisposable {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** Queues mishaps for the next requests, in order. A request without a mishap is forwarded to the service. */
  readonly next: (...mishaps: ReadonlyArray<Mishap>) => void
  /** Discards the remaining mishaps. */
  readonly clear: () => void
}

type Fetch = NonNullable<ClientOptions["fetch"]>

const forward = (service: Fetch, prefix: string, { body, headers, method, path }: Seen): Promise<Response> => {
  const kept = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length|expect)$/u.test(name))
  const given = kept.map(([name, value]): [string, string] => [name, String(value)])
  return service(prefix + path, { method, headers: given, ...(body === "" ? {} : { body }) })
}

const suffer = async (mishap: Mishap, response: ServerResponse, arrive: () => Promise<Response>): Promise<void> => {
  if (typeof mishap === "object") {
    response.writeHead(mishap.status, mishap.headers ?? {}).end(mishap.body ?? "")
    return
  }
  if (mishap === "breaks on the way there") return void response.destroy()
  const answer = await arrive()
  const text = await answer.text()
  const half = text.slice(0, text.length / 2)
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== "content-length"))
  switch (mishap) {
    case "arrives":
      return void response.writeHead(answer.status, headers).end(text)
    case "breaks on the way back":
      return void response.destroy()
    case "breaks within the answer":
      response.writeHead(answer.status, { ...headers, "content-length": Buffer.byteLength(text) })
      response.write(half, () => response.destroy())
      return
    case "comes back in half":
      return void response.writeHead(answer.status, headers).end(half)
    case "hangs":
      return
  }
}

export const startNetwork = async (service: Fetch, prefix: string): Promise<Network> => {
  const seen: Array<Seen> = []
  const mishaps: Array<Mishap> = []
  const server = createServer(async (request, response) => {
    const { headers, method = "", url: path = "" } = request
    const one = { method, path, headers, body: (await buffer(request)).toString() }
    seen.push(one)
    await suffer(mishaps.shift() ?? "arrives", response, () => forward(service, prefix, one))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    next: (...those) => void mishaps.push(...those),
    clear: () => void mishaps.splice(0),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
