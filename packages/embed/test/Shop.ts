import {
  type Calls,
  createSurety,
  type HostStore,
  memoryStore,
  type Surety,
  type SuretyOptions,
  unwrap
} from "@surety/embed"
import { afterAll } from "vitest"

export const secretsKey = Buffer.alloc(32, 7).toString("base64")

export const makeSurety = async (options: Partial<SuretyOptions<HostStore>> = {}): Promise<Surety> => {
  const surety = await createSurety({ store: memoryStore(), secretsKey, targets: "any", ...options })
  afterAll(() => surety.close())
  return surety
}

export const application = {
  name: "Ada's Shop",
  legalName: "Ada Obi Trading Ltd",
  contactName: "Ada Obi",
  contactEmail: "ada@shop.example",
  country: "Nigeria",
  businessType: "retail"
}

/** Creates a merchant, and a linked consumer whose settled payment of 1,000 NGN has the id `order-{id}`. */
export const makeSale = async (surety: Calls, id: string) => {
  const merchant = unwrap(await surety.merchants.create(application))
  const scope = { merchantId: merchant.id, environment: "TEST" } as const
  const customer = unwrap(
    await surety.consumers.create({
      environment: "TEST",
      userId: `user-${id}`,
      displayName: "Bola",
      linkedTo: merchant.id
    })
  )
  const payment = unwrap(
    await surety.payments.record({
      ...scope,
      transactionId: `order-${id}`,
      serviceId: customer.serviceId,
      amount: 1000
    })
  )
  return { merchant, scope, customer, payment }
}
