import { Resolver } from "node:dns"
import { Duration, Effect, Layer, Result } from "effect"
import { AddressLookup, NameNotResolved } from "../target/AddressLookup.js"

export interface NodeAddressLookupOptions {
  /** How long a look-up may take. What came by then counts. Default: 5 seconds. */
  readonly timeout?: Duration.Input
  /** How long one server is given for its first answer; the second try gets longer. Default: 1500 milliseconds. */
  readonly tryTimeout?: Duration.Input
  /** DNS servers, `address:port`. Default: the machine's. */
  readonly servers?: ReadonlyArray<string>
}

type Answer = Result.Result<ReadonlyArray<string>, NameNotResolved>

/** The codes by which a DNS server says that there is nothing; the others say that there is no telling. */
const isNothing = (code: string | undefined): boolean => code === "ENOTFOUND" || code === "ENODATA"

const query = (resolver: Resolver, method: "resolve4" | "resolve6", name: string): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    resolver[method](name, (error, addresses) => {
      const answer =
        error === null
          ? Result.succeed(addresses)
          : Result.fail(new NameNotResolved({ code: isNothing(error.code) ? "ENOTFOUND" : "EAI_AGAIN" }))
      resume(Effect.succeed(answer))
    })
  })

/**
 * Asks DNS itself for IPv4 and IPv6 addresses, and not the operating system's `getaddrinfo`: that one takes a thread of
 * the few that the process has for as long as a name's servers do not answer, so that a handful of dead names would hold
 * up all others. The hosts file and search domains, which are about a private network, are left out with it.
 *
 * IPv4 comes first: where IPv6 is not connected, packets to it may just vanish.
 */
export const layerOptions = (options: NodeAddressLookupOptions = {}): Layer.Layer<AddressLookup> => {
  const timeout = Duration.fromInputUnsafe(options.timeout ?? "5 seconds")
  const tryTimeout = Duration.toMillis(options.tryTimeout ?? "1500 millis")

  const addressesOf = Effect.fnUntraced(function* (name: string) {
    // One for each look-up (it costs microseconds), so that it can be cancelled without others, and so that a change of
    // the machine's DNS servers is noticed.
    const resolver = yield* Effect.acquireRelease(
      Effect.sync(() => new Resolver({ timeout: tryTimeout, tries: 2 })),
      (resolver) => Effect.sync(() => resolver.cancel())
    )
    if (options.servers !== undefined) resolver.setServers(options.servers)
    const late: Answer = Result.fail(new NameNotResolved({ code: "EAI_AGAIN" }))
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
