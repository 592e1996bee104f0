import { Result } from "effect"
import { NetAddress } from "effect/net"

/** Client id shared by all requests without a known address. */
export const unknownClient = "unknown"

const networkSegments = 4

/**
 * Returns the client id under which requests from `address` are limited. For IPv4 it is the address, even if given in
 * IPv6 notation. For IPv6 it is the first 64 bits, the smallest block that internet providers usually assign.
 * `unknownClient` for anything else.
 */
export const clientOfAddress = (address: string): string => {
  const zone = address.indexOf("%")
  const parsed = NetAddress.ipFromString(zone < 0 ? address : address.slice(0, zone))
  if (Result.isFailure(parsed)) return unknownClient
  const canonical = NetAddress.toCanonical(parsed.success)
  if (!NetAddress.isIpv6Address(canonical)) return NetAddress.formatIp(canonical)
  const network = NetAddress.ipv6ToSegments(canonical).slice(0, networkSegments)
  return `${network.map((segment) => segment.toString(16)).join(":")}::/64`
}

const shownOctets = 3
const shownSegments = 3

/**
 * Returns the network of an address: its first 24 bits for IPv4, its first 48 bits for IPv6. The network shows only a
 * rough location. Undefined for anything else.
 */
export const networkOfAddress = (address: string): string | undefined => {
  const zone = address.indexOf("%")
  const parsed = NetAddress.ipFromString(zone < 0 ? address : address.slice(0, zone))
  if (Result.isFailure(parsed)) return undefined
  const canonical = NetAddress.toCanonical(parsed.success)
  if (!NetAddress.isIpv6Address(canonical)) {
    return `${NetAddress.formatIp(canonical).split(".").slice(0, shownOctets).join(".")}.0/24`
  }
  const network = NetAddress.ipv6ToSegments(canonical).slice(0, shownSegments)
  return `${network.map((segment) => segment.toString(16)).join(":")}::/48`
}
