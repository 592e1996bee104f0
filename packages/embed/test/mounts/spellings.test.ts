import { Agent, createServer, request } from "node:http"
import { text } from "node:stream/consumers"
import { getRequestListener } from "@hono/node-server"
import type { Surety } from "@surety/embed"
import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { spellingsOf } from "@surety/testing/hostile/spellings"
import express from "express"
import { type FastifyReply, type FastifyRequest, fastify } from "fastify"
import { Hono } from "hono"
import { afterAll, assert, describe, it } from "vitest"
import { application, makeSurety } from "../Shop.js"
import { express5 } from "./express.js"
import { fastify5 } from "./fastify.js"
import { hono4 } from "./hono.js"
import { type HostServer, nodeServer, prefix } from "./Mount.js"
import { nest12 } from "./nest.js"
import { nextRoute } from "./nextRoute.js"
import { nodeHttp } from "./nodeHttp.js"

const agent = new Agent({ keepAlive: true })
afterAll(() => agent.destroy())

const json = { "content-type": "application/json" }

/** Sends the request with `path` unchanged: `fetch` would normalise it. */
const send = (url: string, method: string, path: string, body?: string) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sending = request(
      { agent, hostname, port, method, path, headers: body === undefined ? {} : json },
      (response) => {
        text(response).then((read) => resolve({ status: response.statusCode ?? 0, text: read }), reject)
      }
    )
    sending.on("error", reject)
    sending.end(body)
  })

const document: { readonly paths: Readonly<Record<string, object>> } = JSON.parse(
  JSON.stringify(openApiDocument("http://localhost"))
)

const pages = ["/consent/:token", "/consent/:token/code", "/consents/:token", "/consents/:token/receipts/:id", "/docs"]

const routes = [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/gu, "x_1") }))
  ),
  ...[...pages, "/docs/errors", "/openapi.json"].map((path) => ({ method: "GET", path: path.replace(/:\w+/gu, "x_1") }))
]

const listening = async (host: HostServer): Promise<string> => {
  const url = await host.listen()
  afterAll(() => host.close())
  return url
}

/**
 * True if a `Request` leaves the path unchanged. Other paths need no test, because the host's guards also see them
 * normalised.
 */
const survives = (spelling: string): boolean => {
  if (!spelling.startsWith("/")) return false
  const { hash, pathname } = new URL(`http://localhost${spelling}`)
  return hash === "" && pathname === spelling
}

const frameworks = [
  ...[nodeHttp, express5, fastify5, nest12].map((mount) => ({ ...mount, isWeb: false })),
  ...[hono4, nextRoute].map((mount) => ({ ...mount, isWeb: true }))
]

describe.each(frameworks)("Mounted in $framework", ({ isWeb, mount }) => {
  it("a route has one spelling, of the mount's prefix too", async () => {
    const surety = await makeSurety({ basePath: prefix, provisioning: "open", operatorToken: "o".repeat(32) })
    const url = await listening(await mount(surety))
    for (const [index, { method, path }] of routes.entries()) {
      const spellings = spellingsOf(`${prefix}${path}`).filter((spelling) => !isWeb || survives(spelling))
      // Tries every third spelling, to save time. The starting point shifts with each route, to cover every kind.
      for (const spelling of spellings.filter((_, at) => at % 3 === index % 3)) {
        const { status, text } = await send(url, method, spelling)
        // Some frameworks reject broken percent-encoding themselves, with 400.
        assert.include([400, 404], status, `${method} ${spelling} ${text.slice(0, 200)}`)
      }
      const encoded = `${prefix}/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
      assert.include((await send(url, method, encoded)).text, "route_not_found", encoded)
    }
  }, 120_000)
})

/** Hosts that block `/pay/merchants` before a request reaches Surety. */
const guarded: Readonly<Record<string, (surety: Surety) => Promise<HostServer>>> = {
  "Express with a mounted handler": async (surety) => {
    const app = express()
    app.use("/pay/merchants", (_, response) => void response.status(403).end())
    app.use("/pay", surety.nodeHandler)
    return nodeServer(createServer(app))
  },
  "Express with a handler for all": async (surety) => {
    const app = express()
    app.use("/pay/merchants", (_, response) => void response.status(403).end())
    app.use(surety.nodeHandler)
    return nodeServer(createServer(app))
  },
  Fastify: async (surety) => {
    const app = fastify()
    app.addHook("onRequest", async (request, reply) => {
      if (request.raw.url?.startsWith("/pay/merchants")) await reply.code(403).send()
    })
    const onRequest = (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      surety.nodeHandler(request.raw, reply.raw)
    }
    app.all("/pay/*", { onRequest }, () => {})
    return { listen: () => app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() }
  },
  Hono: async (surety) => {
    const app = new Hono()
    app.all("/pay/merchants/*", (context) => context.body(null, 403))
    app.all("/pay/merchants", (context) => context.body(null, 403))
    app.all("/pay/*", (context) => surety.handler(context.req.raw))
    return nodeServer(createServer(getRequestListener(app.fetch)))
  },
  "a server of Node's": async (surety) =>
    nodeServer(
      createServer((request, response) => {
        if (request.url?.startsWith("/pay/merchants")) return response.writeHead(403).end()
        return surety.nodeHandler(request, response)
      })
    )
}

describe.each(Object.entries(guarded))("A guard before /pay/merchants in %s", (name, makeHost) => {
  it.each(["/pay", ...(name === "Express with a mounted handler" ? [""] : [])])(
    "is passed by no spelling, with the base path %j",
    async (basePath) => {
      const url = await listening(await makeHost(await makeSurety({ basePath, provisioning: "open" })))
      const body = JSON.stringify(application)
      assert.strictEqual((await send(url, "POST", "/pay/merchants", body)).status, 403)
      const targets = [
        ...spellingsOf("/pay/merchants"),
        "http://localhost/pay/merchants",
        "/PAY/merchants",
        "/pay/Merchants"
      ]
      for (const target of targets) {
        const { status } = await send(url, "POST", target, body)
        assert.include([400, 403, 404], status, target)
      }
    }
  )
})
