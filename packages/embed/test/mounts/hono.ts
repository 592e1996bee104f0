import { createServer } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import { type Mount, nodeServer, prefix } from "./Mount.js"

const hostServer = (app: Hono) => nodeServer(createServer(getRequestListener(app.fetch)))

export const hono4: Mount = {
  framework: "Hono 4",
  mount: async (surety) => {
    const app = new Hono()
    app.all(`${prefix}/*`, (context) => surety.handler(context.req.raw))
    app.post("/shop/orders", async (context) => context.json(await context.req.json()))
    return hostServer(app)
  },
  mountBehindParser: async (surety) => {
    const app = new Hono()
    app.use(async (context, next) => {
      await context.req.json()
      await next()
    })
    app.all(`${prefix}/*`, (context) => surety.handler(context.req.raw))
    return hostServer(app)
  }
}
