import { Result } from "effect"
import { NetAddress } from "effect/net"

const shownOctets = 3
const shownSegments = 3

/**
 * The network of an address, which tells one place from another and names no household: 24 bits of an IPv4 address, 48
 * of an IPv6 one. Undefined for anything else.
 */
export const shortAddress = (address: string): string | undefined => {
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
