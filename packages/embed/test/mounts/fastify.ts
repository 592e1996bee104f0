import type { Surety } from "@surety/embed"
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify"
import { type HostServer, type Mount, prefix } from "./Mount.js"

const hostServer = (app: FastifyInstance): HostServer => ({
  listen: () => app.listen({ port: 0, host: "127.0.0.1" }),
  close: () => app.close()
})

const handOver = (surety: Surety) => (request: FastifyRequest, reply: FastifyReply) => {
  reply.hijack()
  surety.nodeHandler(request.raw, reply.raw)
}

export const fastify5: Mount = {
  framework: "Fastify 5",
  mount: async (surety) => {
    const app = fastify()
    // `onRequest` runs before Fastify reads the body, so Surety gets the body unread.
    app.all(`${prefix}/*`, { onRequest: handOver(surety) }, () => {})
    app.post("/shop/orders", (request) => request.body)
    return hostServer(app)
  },
  mountBehindParser: async (surety) => {
    const app = fastify()
    app.all(`${prefix}/*`, handOver(surety))
    return hostServer(app)
  }
}
