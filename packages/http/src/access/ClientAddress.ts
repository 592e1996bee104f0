import { clientOfAddress, unknownClient } from "@surety/core/limit/ClientAddress"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * Whose request it is, before authentication: by the address of the connection, or the one that the server
 * has put in its place because a proxy that it trusts said so. Requests without one, as where a host passes web
 * requests on, are all one client's.
 */
export const clientOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.match(remoteAddress, { onNone: () => unknownClient, onSome: clientOfAddress })
