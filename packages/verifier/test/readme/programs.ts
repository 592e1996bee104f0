import { blockWith } from "./Readme.js"

/**
 * Programs of a merchant, by file name. All except `http.ts` contain a block of the README, with little code around it.
 * Most blocks are unchanged. In some, a placeholder or an argument is replaced.
 */
export const programs = (): Readonly<Record<string, string>> => ({
  "webhooks.ts": blockWith("// webhooks.ts").code,
  "app/webhooks/route.ts": blockWith("export const POST").code,
  "hono.ts": `
    import { serve } from "@hono/node-server"
    import { Hono } from "hono"
    import { webhooks } from "./webhooks"
    const app = new Hono()
    ${blockWith("c.req.raw").code}
    export const start = (listening: (port: number) => void) =>
      serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => listening(port))`,
  "express.ts": express(blockWith("app.use(express.json())").code),
  "expressRaw.ts": express(
    `app.post("/webhooks", express.raw({ type: "application/json" }), ${blockWith("app.use(express.json())")
      .code.replace('app.post("/webhooks", ', "")
      .replace("body: req }", "body: req.body }")}`
  ),
  "expressWrong.ts": express(`app.use(express.json())\n${blockWith("app.use(express.json())").code}`),
  "fastify.ts": `
    import fastify from "fastify"
    import { webhooks } from "./webhooks"
    const app = fastify()
    app.post("/other", async (request) => ({ parsed: request.body }))
    ${blockWith("addContentTypeParser").code}
    export const start = (listening: (port: number) => void) => {
      void app.listen({ port: 0, host: "127.0.0.1" }).then((url) => listening(Number(new URL(url).port)))
      return app
    }`,
  "nest.ts": `import { webhooks } from "./webhooks"\n${blockWith("@Controller").code}`,
  "lambda.ts": `import { webhooks } from "./webhooks"\n${blockWith("isBase64Encoded").code}`,
  "worker.ts": `
    import { createHandler, memoryStore } from "@surety/verifier"
    const store = memoryStore()
    const onEvent = () => {}
    const onRefused = () => {}
    ${blockWith("cloudflare:workers").code}`,
  "http.ts": `
    import { createServer } from "node:http"
    import { webhooks } from "./webhooks"
    export const start = (listening: (port: number) => void) => {
      const server = createServer(async (request, response) => {
        const answer = await webhooks.receive({ headers: request.headers, body: request })
        response.writeHead(answer.status, answer.headers).end(answer.body)
      })
      return server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        listening(typeof address === "object" && address !== null ? address.port : 0)
      })
    }`,
  "verify.ts": inFunction(
    blockWith("return refuse(400").code,
    "export const receive = async (rawBody: Buffer, request: Request): Promise<void> => {",
    "}"
  ),
  "rotation.ts": `
    import { createHandler } from "@surety/verifier"
    export const webhooks = createHandler({ onEvent: () => {}, ${blockWith("WEBHOOK_SECRETS").code} })`,
  "store.ts": `
    import pg from "pg"
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
    export const close = () => pool.end()
    ${blockWith("DedupeStore").code}`,
  "testing.ts": inFunction(
    blockWith("newSecret")
      .code.replace('"whsec_…"', 'process.env.WEBHOOK_SECRET ?? ""')
      .replace('"http://127.0.0.1:4000/webhooks"', 'process.env.RECEIVER_URL ?? ""'),
    "export const tryOut = async () => {",
    "return response }"
  )
})

const inFunction = (code: string, head: string, end: string): string => {
  const lines = code.split("\n")
  const imports = lines.filter((line) => line.startsWith("import "))
  const body = lines.filter((line) => !line.startsWith("import "))
  return [...imports, head, ...body, end].join("\n")
}

const express = (routes: string): string => `
  import express from "express"
  import { webhooks } from "./webhooks"
  const app = express()
  ${routes}
  app.post("/other", (req, res) => void res.json({ parsed: req.body }))
  export const start = (listening: (port: number) => void) => {
    const server = app.listen(0, "127.0.0.1", () => {
      const address = server.address()
      listening(typeof address === "object" && address !== null ? address.port : 0)
    })
    return server
  }`

/**
 * Declarations that the README's blocks assume: the merchant's own code, and modules not installed for these tests.
 */
export const surroundings = `
declare const markRefunded: (reference: string | undefined, amount: number) => Promise<void>
declare const markPaid: (reference: string | undefined) => Promise<void>
declare const refuse: (status: number, reason: string) => void
declare module "cloudflare:workers" {
  export const env: { readonly WEBHOOK_SECRET: string }
}
declare module "@nestjs/common" {
  export type RawBodyRequest<T> = T & { rawBody?: Buffer }
  export const Controller: (path: string) => ClassDecorator
  export const Post: () => MethodDecorator
  export const Req: () => ParameterDecorator
  export const Res: () => ParameterDecorator
}
`
