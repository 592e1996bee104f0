import { Effect } from "effect"
import { applicant, send } from "./Merchant.js"
import type { ServerProcess } from "./ServerProcess.js"

/**
 * Creates an active merchant with a LIVE key, and a LIVE consumer linked to it. `pay` records a settled wallet payment
 * and returns its id.
 */
export const liveMerchant = Effect.fnUntraced(function* (server: ServerProcess, externalId: string) {
  const bearer = server.operatorToken
  const { id } = (yield* send(server, "POST", "/merchants", { bearer, body: applicant })).body
  yield* send(server, "POST", `/operator/merchants/${id}/status`, { bearer, body: { status: "ACTIVE", reason: "ok" } })
  const issued = yield* send(server, "POST", `/merchants/${id}/api-keys`, { bearer, body: { environment: "LIVE" } })
  const person = { environment: "LIVE", displayName: "Ada as recorded", externalId }
  const { serviceId, userId } = (yield* send(server, "POST", "/operator/consumers", { bearer, body: person })).body
  yield* send(server, "POST", `/operator/merchants/${id}/links`, { bearer, body: { serviceId } })
  const pay = Effect.fnUntraced(function* (amount: number) {
    const body = { merchantId: id, environment: "LIVE", serviceId, amount, method: "WALLET", settled: true }
    const paid = yield* send(server, "POST", "/operator/payments", { bearer, body })
    return paid.body.transactionId as string
  })
  return {
    id: id as string,
    key: issued.body.secret as string,
    serviceId: serviceId as string,
    userId: userId as string,
    pay
  }
})
