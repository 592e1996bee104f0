import { createServer, type IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { Surety } from "@surety/embed"
import { type Mount, nodeServer, prefix } from "./Mount.js"

/** The exports of `app/shop/pay/[...path]/route.ts` in a host's project. */
const routeOf = (surety: Surety) => {
  const handler = (request: Request) => surety.handler(request)
  return { GET: handler, HEAD: handler, POST: handler, PATCH: handler, PUT: handler, DELETE: handler, OPTIONS: handler }
}

type Route = ReturnType<typeof routeOf>

/** Like Next.js, this server passes route handlers a subclass of `Request`, whose body is still streaming in. */
class NextRequest extends Request {}

const requestOf = (request: IncomingMessage): Request => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const method = request.method ?? "GET"
  const body = method === "GET" || method === "HEAD" ? undefined : (Readable.toWeb(request) as ReadableStream)
  return new NextRequest(`http://${request.headers.host}${request.url}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body, duplex: "half" })
  })
}

const isMethod = (route: Route, method: string): method is keyof Route => method in route

const serverOf = (route: Route, before?: (request: Request) => Promise<unknown>) =>
  nodeServer(
    createServer(async (request, response) => {
      if (request.url === "/shop/orders") return response.end(await text(request))
      const method = request.method ?? ""
      if (!request.url?.startsWith(`${prefix}/`) || !isMethod(route, method)) return response.writeHead(404).end()
      const web = requestOf(request)
      await before?.(web)
      const answer = await route[method](web)
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      return response.end(new Uint8Array(await answer.arrayBuffer()))
    })
  )

/** Simulates Next.js, which is too large to install for tests: calls a route handler with a web `Request`. */
export const nextRoute: Mount = {
  framework: "a route handler of Next.js",
  mount: async (surety) => serverOf(routeOf(surety)),
  mountBehindParser: async (surety) => serverOf(routeOf(surety), (request) => request.json())
}
