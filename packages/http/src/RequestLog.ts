import { Effect, LogLevel } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ExchangeShape } from "./Exchange.js"

/** Successes are for debugging, refusals for information, our own failures for whoever is on call. */
const levelOf = (status: number): "Debug" | "Info" | "Error" =>
  status >= 500 ? "Error" : status >= 400 ? "Info" : "Debug"

/**
 * One line for an answered request, when its level is logged: method, route's template, status, the problem's code,
 * duration, request id and merchant. Nothing that the caller sent is in it but its request id.
 */
export const logAnswered = (
  method: string,
  exchange: ExchangeShape,
  { status }: HttpServerResponse.HttpServerResponse,
  tookNanos: bigint
): Effect.Effect<void> =>
  Effect.logWithLevel(levelOf(status))("answered").pipe(
    Effect.annotateLogs({
      method,
      route: exchange.route ?? "none",
      status,
      ...(exchange.code === undefined ? {} : { code: exchange.code }),
      ms: Math.round(Number(tookNanos) / 1e6),
      requestId: exchange.requestId,
      ...(exchange.merchantId === undefined ? {} : { merchantId: exchange.merchantId })
    })
  )

/** Whether `logAnswered` would say anything. */
export const isLogged = (minimum: LogLevel.LogLevel, status: number): boolean =>
  LogLevel.isGreaterThanOrEqualTo(levelOf(status), minimum)
