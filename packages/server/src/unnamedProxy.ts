import type { IncomingMessage, Server } from "node:http"
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const isNamed = (peer: string, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  Result.match(NetAddress.ipFromString(peer), {
    onFailure: () => false,
    onSuccess: (address) => {
      const canonical = NetAddress.toCanonical(address)
      return trusted.some((network) => IpNetwork.contains(network, canonical))
    }
  })

/** Returns an address as `TRUSTED_PROXIES` would name it: one of IPv4 not in IPv6 form. */
const shown = (peer: string): string =>
  Result.match(NetAddress.ipFromString(peer), {
    onFailure: () => peer,
    onSuccess: (address) => NetAddress.formatIp(NetAddress.toCanonical(address))
  })

/** Warns that a peer outside `TRUSTED_PROXIES` sent `X-Forwarded-For`. Logs the peer's address, but not the header. */
export const unnamedProxyWarning = (peer: string): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logWarning(
      "X-Forwarded-For came from a proxy outside TRUSTED_PROXIES, so all its clients share the limits of one address. Set TRUSTED_PROXIES to your proxy's address. Without a proxy, a client sent the header and you can ignore this."
    ),
    { peer }
  )

/** Calls `warn` once, with the address of the first peer outside `trusted` that sends `X-Forwarded-For`. */
export const onUnnamedProxy = (
  server: Server,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>,
  warn: (peer: string) => void
): void => {
  const look = ({ headers, socket }: IncomingMessage): void => {
    const peer = socket.remoteAddress
    if (headers["x-forwarded-for"] === undefined || peer === undefined || isNamed(peer, trusted)) return
    server.off("request", look)
    warn(shown(peer))
  }
  server.on("request", look)
}
