import { type Surety, unwrap } from "@surety/embed"

export const makeSale = async (surety: Surety) => {
  const { id: merchantId } = unwrap(
    await surety.merchants.create({
      name: "Ada Books",
      legalName: "Ada Books Ltd",
      contactName: "Ada Obi",
      contactEmail: "ada@books.example",
      country: "NG",
      businessType: "retail"
    })
  )
  const scope = { merchantId, environment: "TEST" } as const
  const { serviceId } = unwrap(
    await surety.consumers.create({ environment: "TEST", userId: "user-7", linkedTo: merchantId })
  )
  unwrap(await surety.payments.record({ ...scope, transactionId: "order-1", serviceId, amount: 1200.5 }))
  return scope
}

export const refund = async (
  surety: Surety,
  scope: Awaited<ReturnType<typeof makeSale>>,
  { amount, returnId }: { readonly amount: number; readonly returnId: string }
) => {
  const outcome = await surety.refunds.create({
    ...scope,
    idempotencyKey: `return-${returnId}`,
    transactionId: "order-1",
    amount
  })
  if (outcome.ok) return `refunded ${outcome.value.amount}`
  switch (outcome.error._tag) {
    case "RefundRefused":
      return `refused: ${outcome.error.reason._tag}`
    case "InvalidInput":
      return outcome.error.message
    default:
      throw outcome.error
  }
}
