// Started by compare.ts. Serves the routes `whoami` and `refunds` in plain Fastify, with state in maps.
import { createHash, randomBytes, randomUUID } from "node:crypto"
import fastify from "fastify"
import { answerMeasurements, type Seed } from "./Measured.ts"

interface Holder {
  readonly merchantId: string
  readonly name: string
  readonly status: string
  readonly environment: string
}

interface RefundBody {
  readonly transaction_id: string
  readonly amount: number
  readonly reason?: string
  readonly merchant_reference?: string
}

declare module "fastify" {
  interface FastifyRequest {
    holder: Holder | undefined
  }
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const key = `sk_test_${randomBytes(32).toString("hex")}`
const holders = new Map<string, Holder>([
  [sha256(key), { merchantId: "merchant_1", name: "Bench Shop", status: "PENDING_REVIEW", environment: "TEST" }]
])
const payment = { id: "payment_1", reference: "order-1", left: 900_000_000_000_000, serviceId: "SR1-K7QM-WX4T-A" }
const answers = new Map<string, { readonly fingerprint: string; readonly body: string }>()

const app = fastify({ genReqId: ({ headers }) => headers["x-request-id"]?.toString() ?? randomUUID() })

app.decorateRequest("holder", undefined)

app.addHook("onRequest", (request, reply, next) => {
  const { authorization } = request.headers
  reply.header("x-request-id", request.id)
  request.holder = authorization?.startsWith("Bearer ") ? holders.get(sha256(authorization.slice(7))) : undefined
  if (request.holder === undefined) {
    reply.code(401).send({ code: "invalid_api_key" })
    return
  }
  next()
})

const text = { type: "string" }
const whoami = {
  response: {
    200: {
      type: "object",
      properties: {
        merchantId: text,
        name: text,
        status: text,
        environment: text,
        sandboxAccess: { type: "boolean" },
        liveAccess: { type: "boolean" }
      }
    }
  }
}

app.get("/v1/whoami", { schema: whoami }, ({ holder }) => ({
  ...holder,
  sandboxAccess: holder?.status !== "REJECTED" && holder?.status !== "CLOSED",
  liveAccess: holder?.status === "ACTIVE"
}))

const refunds = {
  headers: {
    type: "object",
    required: ["idempotency-key"],
    properties: { "idempotency-key": { type: "string", minLength: 1, maxLength: 255 } }
  },
  body: {
    type: "object",
    additionalProperties: false,
    required: ["transaction_id", "amount"],
    properties: {
      transaction_id: text,
      amount: { type: "number", exclusiveMinimum: 0 },
      reason: { type: "string", maxLength: 500 },
      merchant_reference: { type: "string", maxLength: 120 }
    }
  }
}

app.post<{ Body: RefundBody }>("/v1/refunds", { schema: refunds }, ({ body, headers, holder }, reply) => {
  const scope = `${holder?.merchantId}/${holder?.environment}/${headers["idempotency-key"]}`
  const fingerprint = sha256(JSON.stringify(body))
  const prior = answers.get(scope)
  reply.code(201).header("content-type", "application/json")
  if (prior !== undefined) return reply.send(prior.body)
  const minor = Math.round(body.amount * 100)
  if (body.transaction_id !== payment.id || minor > payment.left) return reply.code(400).send({ code: "refused" })
  payment.left -= minor
  const answer = JSON.stringify({
    merchantId: holder?.merchantId,
    refundId: `refund_${randomUUID()}`,
    transactionId: payment.id,
    reference: payment.reference,
    amount: body.amount,
    currency: "NGN",
    reason: body.reason,
    status: "COMPLETED",
    serviceId: payment.serviceId,
    completedAt: new Date().toISOString(),
    merchantReference: body.merchant_reference
  })
  answers.set(scope, { fingerprint, body: answer })
  return reply.send(answer)
})

await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" })
answerMeasurements()
const seeded: Seed = { key, transactionId: payment.id, serviceId: payment.serviceId }
process.send?.(seeded)
