import { amountOfMinor, CallError, type Client, ServiceProblem } from "@surety/client"
import type { Orders } from "./Orders.ts"

/** The shop's response to its own front end or staff. */
export interface ShopAnswer {
  readonly status: number
  readonly body: unknown
}

type Body = Readonly<Record<string, string | undefined>>
type Action = (parameters: Readonly<Record<string, string>>, body: Body) => Promise<ShopAnswer>

const done = (body: unknown): ShopAnswer => ({ status: 200, body })

/**
 * Maps a failed call to a response. Even a problem below 500 becomes a 503 if an earlier attempt may have taken effect.
 */
const failed = (error: unknown): ShopAnswer => {
  if (!(error instanceof CallError)) throw error
  if (error instanceof ServiceProblem && error.status < 500 && !error.mayHaveTakenEffect) {
    return { status: 422, body: { code: error.code, detail: error.detail, requestId: error.requestId } }
  }
  // A retry is safe: it carries the same idempotency key or, for consent, gets the request that is still pending.
  const detail = error.mayHaveTakenEffect ? "It may have been done: send the same again." : "Nothing was done."
  return { status: 503, body: { detail, requestId: error.requestId } }
}

const actions = (service: Client, orders: Orders): Readonly<Record<string, Action>> => ({
  "POST /customers/:serviceId/consent": async ({ serviceId = "" }) => {
    const request = await service.dataRequests.create({
      service_id: serviceId,
      requested_fields: ["display_name", "email"],
      purpose: "To deliver your order and to reach you about it."
    })
    // LIVE responses omit `consentUrl`: the platform sends it to the person, and only the person may decide.
    return done({ id: request.id, status: request.status, consentUrl: request.consentUrl })
  },
  "GET /customers/:serviceId": async ({ serviceId = "" }) => {
    const { fields, notApproved } = await service.identity.read({ service_id: serviceId })
    return done({ fields, notApproved })
  },
  "PUT /customers/:serviceId/verifications/:attemptId": async ({ serviceId = "", attemptId = "" }, body) => {
    const { bvn = "", firstName, lastName } = body
    const submitted = await service.verifications.submit(
      {
        service_id: serviceId,
        kind: "bvn",
        id: bvn,
        verification_consent: true,
        validation: {
          ...(firstName === undefined ? {} : { first_name: firstName }),
          ...(lastName === undefined ? {} : { last_name: lastName })
        }
      },
      // A submission may cost money. The key identifies the attempt, so repeating the attempt submits nothing more.
      { idempotencyKey: `${serviceId}/${attemptId}` }
    )
    const { checks, failureReason, status } = await service.verifications
      .waitFor(submitted.reference)
      .catch(() => submitted) // The submission succeeded. Get the result by webhook, or by repeating the request.
    return done({ status, checks, failureReason })
  },
  "PUT /orders/:reference/returns/:returnId": async ({ reference = "", returnId = "" }, { kobo = "" }) => {
    if (!/^\d{1,15}$/u.test(kobo)) return { status: 400, body: { detail: "kobo is a number of kobo, as text." } }
    const refund = await service.refunds.create(
      { reference, amount: amountOfMinor(BigInt(kobo), 2), merchant_reference: returnId },
      // The key identifies the return, so repeated calls to this route refund it at most once.
      { idempotencyKey: `${reference}/${returnId}` }
    )
    return done({ refundId: refund.refundId, status: refund.status })
  },
  "GET /orders/:reference": async ({ reference = "" }) => {
    const { paidKobo, refundedKobo } = orders.get(reference)
    return done({ reference, paidKobo: paidKobo.toString(), refundedKobo: refundedKobo.toString() })
  }
})

const parametersOf = (route: string, path: string): Readonly<Record<string, string>> | undefined => {
  const [wanted, given] = [route.split("/"), path.split("/")]
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":")) parameters[segment.slice(1)] = decodeURIComponent(value)
    else if (segment !== value) return undefined
  }
  return parameters
}

/** Builds the shop's backend: a function from method, path and body to a response. */
export const makeShop = (service: Client, orders: Orders) => {
  const routes = Object.entries(actions(service, orders))
  return async (method: string, path: string, body: Body): Promise<ShopAnswer> => {
    for (const [name, action] of routes) {
      const [wanted, route = ""] = name.split(" ")
      const parameters = wanted === method ? parametersOf(route, path) : undefined
      if (parameters !== undefined) return action(parameters, body).catch(failed)
    }
    return { status: 404, body: { detail: "The shop has no such route." } }
  }
}
