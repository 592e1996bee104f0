import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import type { Surety } from "@surety/embed"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"

export const mountExpress = (surety: Surety) => {
  const app = express()
  app.use(surety.nodeHandler)
  app.use(express.json())
  return app
}

export const mountFastify = (surety: Surety) => {
  const app = fastify()
  const onRequest = (request: fastify.FastifyRequest, reply: fastify.FastifyReply) => {
    reply.hijack()
    surety.nodeHandler(request.raw, reply.raw)
  }
  app.all("/pay/*", { onRequest }, () => {})
  return app
}

export const mountHono = (surety: Surety) => {
  const app = new Hono()
  app.all("/pay/*", (context) => surety.handler(context.req.raw))
  return app
}

export const mountNest = async (surety: Surety, AppModule: new () => object) => {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: false })
  app.use(surety.nodeHandler)
  return app
}

export const mountNext = (surety: Surety) => {
  const handler = (request: Request) => surety.handler(request)
  return { GET: handler, POST: handler, PATCH: handler, DELETE: handler }
}
