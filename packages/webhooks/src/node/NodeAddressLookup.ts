import { Resolver } from "node:dns"
import type { TargetPolicy } from "@surety/core/event/TargetPolicy"
import { Duration, Effect, Layer, Result } from "effect"
import { AddressLookup, NameNotResolved } from "../target/AddressLookup.js"
import * as PublicTargets from "../target/PublicTargets.js"

export interface NodeAddressLookupOptions {
  /**
   * Maximum duration of a lookup. On timeout, the lookup returns the addresses received so far, or fails if none were
   * received. Default: 5 seconds.
   */
  readonly timeout?: Duration.Input
  /** Timeout of the first query to a server. The second query has a longer timeout. Default: 1500 milliseconds. */
  readonly tryTimeout?: Duration.Input
  /** DNS servers as `address:port`. Default: the machine's. */
  readonly servers?: ReadonlyArray<string>
}

type Resolved = Result.Result<ReadonlyArray<string>, NameNotResolved>

/** True if DNS says that the name has no address of the queried kind. Other codes mean that the lookup failed. */
const isMissing = (code: string | undefined): boolean => code === "ENOTFOUND" || code === "ENODATA"

const query = (resolver: Resolver, method: "resolve4" | "resolve6", name: string): Effect.Effect<Resolved> =>
  Effect.callback((resume) => {
    resolver[method](name, (error, addresses) => {
      const answer =
        error === null
          ? Result.succeed(addresses)
          : Result.fail(new NameNotResolved({ code: isMissing(error.code) ? "ENOTFOUND" : "EAI_AGAIN" }))
      resume(Effect.succeed(answer))
    })
  })

/**
 * Queries DNS for IPv4 and IPv6 addresses directly. The operating system's `getaddrinfo` blocks one of the process's
 * few threads until a name's servers respond. A handful of dead names would therefore delay all other lookups. Direct
 * queries also bypass the hosts file and search domains, which serve private networks.
 *
 * IPv4 addresses come first: on a network without IPv6, packets to IPv6 addresses may vanish silently.
 */
export const layerOptions = (options: NodeAddressLookupOptions = {}): Layer.Layer<AddressLookup> => {
  const timeout = Duration.fromInputUnsafe(options.timeout ?? "5 seconds")
  const tryTimeout = Duration.toMillis(options.tryTimeout ?? "1500 millis")

  const addressesOf = Effect.fnUntraced(function* (name: string) {
    // Creates one resolver per lookup, which takes microseconds. Each lookup can then be cancelled individually and,
    // without `servers`, uses the machine's current DNS servers.
    const resolver = yield* Effect.acquireRelease(
      Effect.sync(() => new Resolver({ timeout: tryTimeout, tries: 2 })),
      (resolver) => Effect.sync(() => resolver.cancel())
    )
    if (options.servers !== undefined) resolver.setServers(options.servers)
    const late: Resolved = Result.fail(new NameNotResolved({ code: "EAI_AGAIN" }))
    const ask = (method: "resolve4" | "resolve6") =>
      Effect.timeoutOrElse(query(resolver, method, name), { duration: timeout, orElse: () => Effect.succeed(late) })
    const [ipv4, ipv6] = yield* Effect.all([ask("resolve4"), ask("resolve6")], { concurrency: 2 })
    const addresses = [ipv4, ipv6].flatMap((answer) => Result.getOrElse(answer, () => []))
    if (addresses.length > 0) return addresses
    const failures = [ipv4, ipv6].filter(Result.isFailure)
    return yield* failures.find(({ failure }) => failure.code === "EAI_AGAIN")?.failure ?? noAddress
  }, Effect.scoped)

  return Layer.succeed(AddressLookup, { addressesOf })
}

const noAddress = new NameNotResolved({ code: "ENOTFOUND" })

export const layer: Layer.Layer<AddressLookup> = layerOptions()

/**
 * Provides production's target policy (contract 11) to the services that register endpoints. Loads no HTTP client, so a
 * process that sends no webhooks does not pay for one.
 */
export const layerTargets: Layer.Layer<TargetPolicy> = PublicTargets.layer.pipe(Layer.provide(layer))
