import { createServer } from "node:http"
import { createSurety, postgresStore, unwrap } from "@surety/embed"
import { Client } from "pg"

/** Number of sales, large enough that partly filled disk pages hardly affect the average size of a row. */
export const made = 400

const atOnce = 8

const each = async (work: (index: number) => Promise<unknown>): Promise<void> => {
  const indexes = Array.from({ length: made }, (_, index) => index).values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const index of indexes) await work(index)
    })
  )
}

const listen = async () => {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      received += 1
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  return { url, received: () => received, close: () => server.close() }
}

/**
 * Fills a database with `made` sales by one merchant. Each sale adds a person, a partial refund and an approved data
 * request. It also adds a read of the person's data and a verification. Every event is delivered to one endpoint.
 */
export const grow = async (url: string): Promise<void> => {
  const receiver = await listen()
  const surety = await createSurety({
    store: postgresStore({ url }),
    secretsKey: Buffer.alloc(32, 7).toString("base64"),
    targets: "any"
  })
  const merchant = unwrap(
    await surety.merchants.create({
      name: "Ada's Shop",
      legalName: "Ada Obi Trading Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@shop.example",
      country: "NG",
      businessType: "retail"
    })
  )
  const scope = { merchantId: merchant.id, environment: "TEST" } as const
  const key = unwrap(await surety.apiKeys.create(scope)).secret
  await surety.webhooks.register({ ...scope, url: receiver.url })

  const ask = async (method: string, path: string, name: string, body?: object) => {
    for (;;) {
      const response = await surety.handler(
        new Request(`http://localhost/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": name },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
      )
      if (response.ok) return (await response.json()) as { readonly id: string }
      if (response.status !== 429) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("retry-after"))))
    }
  }

  await each(async (index) => {
    const { serviceId } = unwrap(
      await surety.consumers.create({ environment: "TEST", displayName: "Bola Ade", linkedTo: merchant.id })
    )
    const sale = { ...scope, serviceId, amount: 2500, reference: `order-${index}` }
    const { transactionId } = unwrap(await surety.payments.record(sale))
    const refund = {
      ...scope,
      idempotencyKey: `refund-${index}`,
      transactionId,
      amount: 1000,
      reason: "Came back damaged"
    }
    unwrap(await surety.refunds.create(refund))
    const fields = ["display_name", "email", "phone_verified"]
    const asked = { service_id: serviceId, requested_fields: fields, purpose: "To deliver what you have bought" }
    const { id } = await ask("POST", "/data-requests", `request-${index}`, asked)
    await ask("POST", `/test-helpers/data-requests/${id}/approve`, `approve-${index}`, {})
    await ask("GET", `/identity?service_id=${serviceId}`, `read-${index}`)
    const number = { service_id: serviceId, kind: "nin", id: "55555555555", verification_consent: true }
    await ask("POST", "/kyc/verifications", `verify-${index}`, number)
  })

  await surety.workers.start()
  const client = new Client({ connectionString: url })
  await client.connect()
  const isDone = async (): Promise<boolean> => {
    const { rows } = await client.query("select count(*)::int as open from surety.delivery where status = 'PENDING'")
    return rows[0].open === 0
  }
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 200))
  await client.end()
  await surety.close()
  receiver.close()
}
