import { randomUUID } from "node:crypto"
import Fastify, { type FastifyError, type FastifyInstance } from "fastify"
import type { Pool } from "pg"
import { ApiKeys, type Principal } from "./ApiKeys.ts"
import type { ExecuteRefund } from "./executeRefund.ts"
import { fingerprint, type RefundRequest, readCommand, refundRequestSchema } from "./RefundCommand.ts"
import { Refusal } from "./Refusal.ts"

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal
  }
}

const bodyLimitBytes = 256 * 1024
const requestIdForm = /^[\x21-\x7e]{1,128}$/
const idempotencyKeyForm = /^[\x20-\x7e]{1,255}$/

const whoamiSchema = {
  type: "object",
  properties: {
    merchantId: { type: "string" },
    name: { type: "string" },
    status: { type: "string" },
    environment: { type: "string" },
    sandboxAccess: { type: "boolean" },
    liveAccess: { type: "boolean" }
  }
}

const toRefusal = (error: FastifyError | Refusal): Refusal => {
  if (error instanceof Refusal) return error
  if (error.validation !== undefined) {
    return new Refusal(400, "validation_failed", "The request is not valid.", {
      errors: error.validation.map(({ instancePath, message }) => ({ pointer: `#${instancePath}`, detail: message }))
    })
  }
  const status = error.statusCode ?? 500
  return status < 500
    ? new Refusal(status, status === 400 ? "invalid_json" : "not_acceptable", error.message)
    : new Refusal(500, "internal_error", "Something went wrong.")
}

const addProblems = (app: FastifyInstance): void => {
  app.setErrorHandler<FastifyError | Refusal>((error, request, reply) => {
    const refusal = toRefusal(error)
    if (refusal.status >= 500) request.log.error(error)
    if (refusal.status === 401) void reply.header("www-authenticate", "Bearer")
    const { status, code, message, facts } = refusal
    const problem = { type: `about:blank#${code}`, title: code, status, detail: message, instance: request.url, code }
    return reply
      .code(status)
      .type("application/problem+json")
      .send(JSON.stringify({ ...problem, requestId: request.id, ...facts }))
  })
  app.setNotFoundHandler(() => {
    throw new Refusal(404, "route_not_found", "Route not found.")
  })
}

const readIdempotencyKey = (header: string | ReadonlyArray<string> | undefined): string => {
  if (header === undefined) throw new Refusal(400, "idempotency_key_required", "Send an Idempotency-Key.")
  if (typeof header !== "string" || !idempotencyKeyForm.test(header)) {
    throw new Refusal(400, "idempotency_key_invalid", "The Idempotency-Key is not valid.")
  }
  return header
}

const mayUse = (status: string, environment: string): boolean =>
  environment === "LIVE" ? status === "ACTIVE" : status !== "REJECTED" && status !== "CLOSED"

const addWhoami = (app: FastifyInstance): void => {
  app.get("/v1/whoami", { schema: { response: { 200: whoamiSchema } } }, ({ principal }) => ({
    ...principal,
    sandboxAccess: mayUse(principal.status, "TEST"),
    liveAccess: mayUse(principal.status, "LIVE")
  }))
}

const addRefunds = (app: FastifyInstance, pool: Pool, fingerprintKey: Buffer, execute: ExecuteRefund): void => {
  const schema = { body: refundRequestSchema }
  app.post<{ Body: RefundRequest }>("/v1/refunds", { schema }, async (request, reply) => {
    const { environment, merchantId, status } = request.principal
    if (!mayUse(status, environment)) throw new Refusal(403, "merchant_not_active", "The merchant is not active.")
    const idempotencyKey = readIdempotencyKey(request.headers["idempotency-key"])
    const command = readCommand(request.body)
    const order = {
      merchantId,
      environment,
      idempotencyKey,
      fingerprint: fingerprint(command, fingerprintKey),
      command
    }
    const client = await pool.connect()
    try {
      const { body, replayed } = await execute(client, order)
      if (replayed) void reply.header("idempotent-replayed", "true")
      return reply.code(201).type("application/json").send(body)
    } finally {
      client.release()
    }
  })
}

/**
 * Builds the peer's server: the two measured routes, hand-written in a conventional way. `execute` determines what a
 * refund stores.
 */
export const makeServer = (pool: Pool, fingerprintKey: Buffer, execute: ExecuteRefund): FastifyInstance => {
  const app = Fastify({
    logger: { level: "warn" },
    disableRequestLogging: true,
    bodyLimit: bodyLimitBytes,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true } },
    genReqId: ({ headers }) => {
      const given = headers["x-request-id"]
      return typeof given === "string" && requestIdForm.test(given) ? given : randomUUID()
    }
  })
  const keys = new ApiKeys(pool)
  app.decorateRequest("principal")
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("x-request-id", request.id)
    request.principal = await keys.authenticate(request.headers.authorization)
  })
  addProblems(app)
  addWhoami(app)
  addRefunds(app, pool, fingerprintKey, execute)
  return app
}
