import { clientOfAddress, unknownClient } from "@surety/core/limit/ClientAddress"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * The client of a request before authentication: the connection's address, or the one that a trusted proxy reported.
 * Requests without an address, such as web requests that a host passes on, all count as one client.
 */
export const clientOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.match(remoteAddress, { onNone: () => unknownClient, onSome: clientOfAddress })
