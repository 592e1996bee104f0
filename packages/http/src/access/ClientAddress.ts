import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"

const unknown = "unknown"

const networkSegments = 4

/**
 * Whom an address belongs to, as far as limits go: an IPv4 address by itself, also where it is written in IPv6's form; of
 * an IPv6 address its first 64 bits, since that is the least that a customer of a network gets.
 */
export const clientOfAddress = (address: string): string => {
  const zone = address.indexOf("%")
  const parsed = NetAddress.ipFromString(zone < 0 ? address : address.slice(0, zone))
  if (Result.isFailure(parsed)) return unknown
  const canonical = NetAddress.toCanonical(parsed.success)
  if (!NetAddress.isIpv6Address(canonical)) return NetAddress.formatIp(canonical)
  const network = NetAddress.ipv6ToSegments(canonical).slice(0, networkSegments)
  return `${network.map((segment) => segment.toString(16)).join(":")}::/64`
}

/**
 * Whose request it is, before anybody is authenticated: by the address of the connection, or the one that the server
 * has put in its place because a proxy that it trusts said so. Requests without one, as where a host passes web
 * requests on, are all one client's.
 */
export const clientOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.match(remoteAddress, { onNone: () => unknown, onSome: clientOfAddress })
