import type { Principal } from "@surety/core/merchant/ApiKeys"
import { hasLiveAccess, hasSandboxAccess } from "@surety/core/merchant/Merchant"
import type { HttpServerResponse } from "effect/http"
import { type ExchangeShape, jsonAnswer } from "../Exchange.js"
import type { WhoamiRecord } from "./AccountApi.js"

const recordOf = ({ environment, merchantId, merchantName, status }: Principal): typeof WhoamiRecord.Type => ({
  merchantId,
  name: merchantName,
  status,
  environment,
  sandboxAccess: hasSandboxAccess(status),
  liveAccess: hasLiveAccess(status)
})

/** Every field is a plain JSON value, so no schema is needed. */
export const whoami = (principal: Principal, exchange: ExchangeShape): HttpServerResponse.HttpServerResponse =>
  jsonAnswer(exchange, JSON.stringify(recordOf(principal)), 200)
