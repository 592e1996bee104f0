import type { RequestEntry } from "@surety/core/request/RequestEntry"
import { DateTime, Effect, LogLevel } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ExchangeShape } from "./Exchange.js"
import type { ProblemCode } from "./problem/ProblemCode.js"

/** 5xx codes that do not count as failures, because the deployment has not configured the feature. */
const notFailures: ReadonlySet<ProblemCode | undefined> = new Set<ProblemCode>(["kyc_provider_not_configured"])

const levelOf = (status: number, code: ProblemCode | undefined): "Debug" | "Info" | "Error" => {
  if (status < 400) return "Debug"
  return status >= 500 && !notFailures.has(code) ? "Error" : "Info"
}

/**
 * Logs a response in one line: method, route template, status, problem code, duration, request id and merchant. The
 * method and the request id are the only caller input in the line.
 */
export const logAnswered = (
  method: string,
  exchange: ExchangeShape,
  { status }: HttpServerResponse.HttpServerResponse,
  tookNanos: bigint
): Effect.Effect<void> =>
  Effect.logWithLevel(levelOf(status, exchange.code))("answered").pipe(
    Effect.annotateLogs({
      method,
      route: exchange.route ?? "none",
      status,
      ...(exchange.code === undefined ? {} : { code: exchange.code }),
      ms: Math.round(Number(tookNanos) / 1e6),
      requestId: exchange.requestId,
      ...(exchange.principal === undefined ? {} : { merchantId: exchange.principal.merchantId })
    })
  )

/** Returns true if `logAnswered` would write a line. */
export const isLogged = (minimum: LogLevel.LogLevel, status: number, code: ProblemCode | undefined): boolean =>
  LogLevel.isGreaterThanOrEqualTo(levelOf(status, code), minimum)

/** Builds the entry for the merchant's own request log. Undefined if the request had no valid key. */
export const entryOf = (
  method: string,
  { code, principal, requestId, route }: ExchangeShape,
  status: number,
  atMillis: number
): RequestEntry | undefined =>
  principal && {
    merchantId: principal.merchantId,
    environment: principal.environment,
    apiKeyId: principal.apiKeyId,
    keyLast4: principal.keyLast4,
    method,
    status,
    requestId,
    at: DateTime.makeUnsafe(atMillis),
    ...(route === undefined ? {} : { route }),
    ...(code === undefined ? {} : { code })
  }
