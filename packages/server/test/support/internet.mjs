// Simulates public hosts for a production server. The test's host names resolve to public addresses, and connections to
// these addresses are redirected to local ports. Preloaded with `--import`, so the server itself is unchanged.
import dns from "node:dns"

/** Maps each host name to its public address and to the port on 127.0.0.1 that serves it. */
const hosts = JSON.parse(process.env.TEST_INTERNET ?? "{}")
const ports = new Map(Object.values(hosts).map(({ address, port }) => [address, port]))

const { resolve4, resolve6 } = dns.Resolver.prototype
dns.Resolver.prototype.resolve4 = function (name, ...rest) {
  const known = hosts[name]
  if (known === undefined) return resolve4.call(this, name, ...rest)
  rest.at(-1)(null, [known.address])
}
dns.Resolver.prototype.resolve6 = function (name, ...rest) {
  if (hosts[name] === undefined) return resolve6.call(this, name, ...rest)
  rest.at(-1)(Object.assign(new Error("no IPv6"), { code: "ENODATA" }), [])
}

const { TCP } = process.binding("tcp_wrap")
const { connect } = TCP.prototype
TCP.prototype.connect = function (request, address, port) {
  const local = ports.get(address)
  return local === undefined
    ? connect.call(this, request, address, port)
    : connect.call(this, request, "127.0.0.1", local)
}
