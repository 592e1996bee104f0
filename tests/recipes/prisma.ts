import type { Surety } from "@surety/embed"
import type { Order } from "./Order.ts"
import type { PrismaClient } from "./prisma/client.ts"

/** Marks the order returned and queues its refund: both, or neither. The workers refund it after the commit. */
export const returnOrder = async (surety: Surety, prisma: PrismaClient, { id, merchantId }: Order) => {
  const key = `return-${id}`
  const payload = JSON.stringify({ merchantId, environment: "TEST", transactionId: id })
  await prisma.$transaction(async (tx) => {
    await tx.$executeRaw`update orders set status = 'returned' where id = ${id}`
    await tx.$executeRaw`
      insert into surety.requests (key, kind, payload) values (${key}, 'refunds.create', ${payload}::jsonb)`
  })
  return surety.hostRequests.wait({ key })
}
