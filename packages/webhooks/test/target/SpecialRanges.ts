import type { AddressClass } from "../../src/target/AddressClass.js"

type Ranges = ReadonlyArray<readonly [range: string, addressClass: AddressClass]>

/**
 * IANA's registry of special-purpose IPv4 addresses, without ranges that lie inside wider ones. Includes multicast,
 * which has its own registry.
 */
export const ipv4: Ranges = [
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link_local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "reserved"],
  ["192.31.196.0/24", "reserved"],
  ["192.52.193.0/24", "reserved"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "reserved"],
  ["198.18.0.0/15", "reserved"],
  ["198.51.100.0/24", "reserved"],
  ["203.0.113.0/24", "reserved"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"]
]

/**
 * IANA's registry of special-purpose IPv6 addresses, RFC 4291's other exceptions to global unicast, and RFC 2765's
 * IPv4-translated addresses.
 */
export const ipv6: Ranges = [
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "embedded_ipv4"],
  ["::ffff:0:0/96", "embedded_ipv4"],
  ["::ffff:0:0:0/96", "embedded_ipv4"],
  ["64:ff9b::/96", "embedded_ipv4"],
  ["64:ff9b:1::/48", "embedded_ipv4"],
  ["100::/64", "reserved"],
  ["100:0:0:1::/64", "reserved"],
  ["2001::/23", "reserved"],
  ["2001::/32", "embedded_ipv4"],
  ["2001:2::/48", "reserved"],
  ["2001:3::/32", "reserved"],
  ["2001:4:112::/48", "reserved"],
  ["2001:10::/28", "reserved"],
  ["2001:20::/28", "reserved"],
  ["2001:30::/28", "reserved"],
  ["2001:db8::/32", "reserved"],
  ["2002::/16", "embedded_ipv4"],
  ["2620:4f:8000::/48", "reserved"],
  ["3fff::/20", "reserved"],
  ["5f00::/16", "reserved"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link_local"],
  ["fec0::/10", "private"],
  ["ff00::/8", "multicast"]
]

/** Everything outside 2000::/3, the space for global unicast. */
export const notGlobalUnicastIpv6: ReadonlyArray<string> = ["::/3", "4000::/2", "8000::/1"]

/** Cloud metadata addresses. The first two lie in no special range. */
export const metadata: ReadonlyArray<string> = [
  "168.63.129.16",
  "192.80.8.124",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254"
]
