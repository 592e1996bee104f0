import { Result } from "effect"
import { NetAddress } from "effect/net"

/** Who has no address that can be told: all of them are one client. */
export const unknownClient = "unknown"

const networkSegments = 4

/**
 * Whom an address belongs to, as far as limits go: an IPv4 address by itself, also where it is written in IPv6's form; of
 * an IPv6 address its first 64 bits, since that is the least that a customer of a network gets.
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
