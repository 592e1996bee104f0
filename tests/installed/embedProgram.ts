/** A host's minimal program, from an empty store to a refunded payment. */
export const embedProgram = `
import { createSurety, memoryStore, unwrap } from "@surety/embed"

const surety = await createSurety({
  store: memoryStore(), // postgresStore({ url }) or postgresStore({ pool }) where records are to last
  secretsKey: process.env.SECRETS_KEY ?? "" // openssl rand -base64 32
})

const merchant = unwrap(
  await surety.merchants.create({
    name: "Corner Shop",
    legalName: "Corner Shop Ltd",
    contactName: "Ada Obi",
    contactEmail: "ada@corner.example",
    country: "Nigeria",
    businessType: "retail"
  })
)
const scope = { merchantId: merchant.id, environment: "TEST" } as const
const customer = unwrap(
  await surety.consumers.create({
    environment: "TEST",
    userId: "user-1", // your own ids
    displayName: "Bola",
    linkedTo: merchant.id
  })
)
unwrap(
  await surety.payments.record({
    ...scope,
    transactionId: "order-1",
    serviceId: customer.serviceId,
    amount: 2500.5
  })
)

const refunded = await surety.refunds.create({
  ...scope,
  idempotencyKey: "order-1-damaged",
  transactionId: "order-1",
  amount: 1000
})
if (refunded.ok) console.log(refunded.value.status, refunded.value.amount)
else console.log(refunded.error._tag, refunded.error.message)

await surety.close()
`
