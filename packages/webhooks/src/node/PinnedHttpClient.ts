import { isIP, type LookupFunction } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { buildConnector } from "@effect/platform-node/Undici"
import { Array as Arr, Cause, Duration, Effect, FiberSet, type Layer } from "effect"
import type { HttpClient } from "effect/http"
import { withoutRootDot } from "../HostName.js"
import { AddressLookup, NameNotResolved } from "../target/AddressLookup.js"
import { AddressRule, refusalOf } from "../target/AddressRule.js"
import * as UndiciHttpClient from "./UndiciHttpClient.js"

export interface PinnedHttpClientOptions {
  /** Certificates of authorities to trust, in PEM. Default: those that Node trusts. */
  readonly ca?: string | ReadonlyArray<string>
  /** How long connecting may take, TLS included. Default: 10 seconds. */
  readonly connectTimeout?: Duration.Input
  /**
   * How long one address of several is tried before the next one's turn. Default: 1 second, which also leaves time for
   * a host on the far side of the earth.
   */
  readonly addressTimeout?: Duration.Input
  /**
   * How long an idle connection is kept at most, for a receiver that says how long it keeps it (others: 4 seconds).
   * Default: 30 seconds.
   */
  readonly keepAliveLimit?: Duration.Input
}

/** Looks a name up and answers its addresses, if all of them may be called. */
const makeLookup = Effect.gen(function* () {
  const lookup = yield* AddressLookup
  const rule = yield* AddressRule
  const run = yield* FiberSet.makeRuntime()

  const checked = Effect.fnUntraced(function* (host: string) {
    const name = withoutRootDot(host)
    const addresses = yield* lookup.addressesOf(name)
    if (!Arr.isReadonlyArrayNonEmpty(addresses)) return yield* new NameNotResolved({ code: "ENOTFOUND" })
    const refusal = refusalOf(rule, name, addresses)
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

const asError = (failure: unknown): Error => (failure instanceof Error ? failure : new Error("The look-up failed"))

/**
 * Connects to addresses that the rule allows and to no others. Node looks a name up once for each connection, with the
 * function that is given here, and connects to what that answers; it does not look an address up, so one that stands in
 * the url is checked before.
 */
const makeConnector = Effect.fnUntraced(function* (options: PinnedHttpClientOptions) {
  const rule = yield* AddressRule
  const connect = buildConnector({
    lookup: yield* makeLookup,
    // Tries the addresses one after the other. All of them have been checked.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Duration.toMillis(options.addressTimeout ?? "1 second"),
    timeout: Duration.toMillis(options.connectTimeout ?? "10 seconds"),
    // Not to be switched off by NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    // HTTP/2 writes headers' names in lower case, and some receivers look for them as they are documented.
    allowH2: false,
    ...(options.ca === undefined ? {} : { ca: [options.ca].flat() })
  })
  const checkedConnect: buildConnector.connector = (target, callback) => {
    const { hostname } = target
    const refusal = isIP(hostname) === 0 ? undefined : refusalOf(rule, hostname, [hostname])
    if (refusal === undefined) connect(target, callback)
    else queueMicrotask(() => callback(refusal, null))
  }
  return checkedConnect
})

/**
 * An HTTP client that calls public hosts only (contract 11). For each connection the host's name is looked up once, all
 * addresses of the answer are checked by the `AddressRule`, and the connection goes to one of these; one that may not be
 * called is enough to refuse. So a name that changes between two look-ups gains nothing. Later requests on a connection
 * that is kept go where it went. SNI, certificate and `Host` are by the url's name, as ever.
 *
 * A refusal is the `TargetNotAllowed` that caused the `HttpClientError`. Redirects are answers like any other; proxies of
 * the environment are not used, since they would look up by themselves.
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
