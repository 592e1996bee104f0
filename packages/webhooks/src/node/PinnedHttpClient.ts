import { isIP, type LookupFunction } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { buildConnector } from "@effect/platform-node/Undici"
import { Array as Arr, Cause, Duration, Effect, FiberSet, type Layer } from "effect"
import type { HttpClient } from "effect/http"
import { AddressLookup, NameNotResolved } from "../target/AddressLookup.js"
import { AddressRule, addressRefusal } from "../target/AddressRule.js"
import { withoutRootDot } from "../target/TargetUrl.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

export interface PinnedHttpClientOptions {
  /** Trusted certificate authorities in PEM. Default: Node's. */
  readonly ca?: string | ReadonlyArray<string>
  /** Connect timeout, including TLS. Default: 10 seconds. */
  readonly connectTimeout?: Duration.Input
  /**
   * How long to try an address before moving on to the host's next one. Default: 1 second, which is enough for a host
   * on the other side of the world.
   */
  readonly addressTimeout?: Duration.Input
  /**
   * Maximum time to keep an idle connection open if the receiver announces a keep-alive time. Default: 30 seconds.
   * Without such an announcement, the connection stays open for 4 seconds.
   */
  readonly keepAliveLimit?: Duration.Input
}

/** Makes the lookup for connections. It resolves a name, and fails if any of the name's addresses is disallowed. */
const makeLookup = Effect.gen(function* () {
  const lookup = yield* AddressLookup
  const rule = yield* AddressRule
  const run = yield* FiberSet.makeRuntime()

  const checked = Effect.fnUntraced(function* (host: string) {
    const name = withoutRootDot(host)
    const addresses = yield* lookup.addressesOf(name)
    if (!Arr.isReadonlyArrayNonEmpty(addresses)) return yield* new NameNotResolved({ code: "ENOTFOUND" })
    const refusal = addressRefusal(rule, name, addresses)
    return refusal === undefined ? addresses : yield* refusal
  })

  const pinned: LookupFunction = (host, options, callback) => {
    const settle = Effect.matchCause(checked(host), {
      onFailure: (cause) => callback(asError(Cause.squash(cause)), []),
      onSuccess: (addresses) => {
        const entries = Arr.map(addresses, (address) => ({ address, family: isIP(address) }))
        if (options.all === true) callback(null, entries)
        else callback(null, entries[0].address, entries[0].family)
      }
    })
    run(settle)
  }
  return pinned
})

const asError = (failure: unknown): Error => (failure instanceof Error ? failure : new Error("The lookup failed"))

/**
 * Makes a connector that connects only to allowed addresses. For a connection to a name, Node calls our lookup once and
 * connects to one of the returned addresses. Node does not look up a literal address, so the connector checks it
 * itself.
 */
const makeConnector = Effect.fnUntraced(function* (options: PinnedHttpClientOptions) {
  const rule = yield* AddressRule
  const connect = buildConnector({
    lookup: yield* makeLookup,
    // Tries the addresses in turn. All of them have been checked.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Duration.toMillis(options.addressTimeout ?? "1 second"),
    timeout: Duration.toMillis(options.connectTimeout ?? "10 seconds"),
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    // HTTP/2 lower-cases header names, and some receivers expect the documented casing.
    allowH2: false,
    ...(options.ca === undefined ? {} : { ca: [options.ca].flat() })
  })
  const checkedConnect: buildConnector.connector = (target, callback) => {
    const { hostname } = target
    const refusal = isIP(hostname) === 0 ? undefined : addressRefusal(rule, hostname, [hostname])
    if (refusal === undefined) connect(target, callback)
    else queueMicrotask(() => callback(refusal, null))
  }
  return checkedConnect
})

/**
 * Provides an HTTP client that connects to public hosts only (contract 11). For each connection it resolves the name
 * once and checks every address against the `AddressRule`. It connects to one of these addresses, so DNS rebinding has
 * no effect. If even one address is disallowed, the host is rejected. Requests on a reused connection reach the same
 * address. SNI, certificate and `Host` use the url's name as usual.
 *
 * A refusal is an `HttpClientError` with a `TargetNotAllowed` as its cause. The client does not follow redirects. It
 * ignores proxies from the environment, since they would resolve names themselves.
 */
export const layerOptions = (
  options: PinnedHttpClientOptions = {}
): Layer.Layer<HttpClient.HttpClient, never, AddressLookup> => {
  const keepAliveMaxTimeout = Duration.toMillis(options.keepAliveLimit ?? "30 seconds")
  return UndiciHttpClient.layer(
    Effect.flatMap(makeConnector(options), (connect) =>
      NodeHttpClient.makeDispatcherOptions({ connect, keepAliveMaxTimeout })
    )
  )
}

export const layer: Layer.Layer<HttpClient.HttpClient, never, AddressLookup> = layerOptions()
