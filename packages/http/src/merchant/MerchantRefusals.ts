import type { TargetNotAllowed } from "@surety/core/event/TargetPolicy"
import type { MerchantNotActive, StatusChangeNotAllowed, TooManyEndpoints } from "@surety/core/merchant/MerchantError"
import { inBody } from "../problem/Fault.js"
import { problem, problemOfFaults } from "../problem/Problem.js"
import { isProblemCode } from "../problem/ProblemCode.js"
import type { RefusedAs } from "../problem/Refusal.js"

/**
 * Refusal, with 409, if the merchant's status does not allow the operation. The check of a merchant's own API key
 * returns the same code with 403.
 */
export const merchantNotActive: RefusedAs<MerchantNotActive> = {
  codes: ["merchant_not_active"],
  problem: ({ environment, status }) =>
    problem("merchant_not_active", {
      status: 409,
      detail: `The merchant is ${status}, which does not allow this in ${environment}.`,
      extension: { merchantStatus: status }
    })
}

export const statusChangeNotAllowed: RefusedAs<StatusChangeNotAllowed> = {
  codes: ["status_change_not_allowed"],
  problem: ({ allowed, from, to }) =>
    problem("status_change_not_allowed", {
      detail: `A merchant in ${from} cannot become ${to}.`,
      extension: { merchantStatus: from, allowed }
    })
}

export const tooManyEndpoints: RefusedAs<TooManyEndpoints> = {
  codes: ["too_many_endpoints"],
  problem: ({ limit }) => problem("too_many_endpoints", { extension: { limit } })
}

export const targetNotAllowed: RefusedAs<TargetNotAllowed> = {
  codes: ["webhook_url_not_allowed"],
  problem: ({ code, detail }) => {
    const faults = [inBody(["url"], code, detail)]
    return isProblemCode(code) ? problemOfFaults(faults) : problem("webhook_url_not_allowed", { detail, faults })
  }
}
