import { Context, type Effect, Schema } from "effect"

/**
 * A name did not resolve. `code` is one of Node's error codes: `ENOTFOUND` if the name has no address, `EAI_AGAIN` if
 * the lookup failed.
 */
export class NameNotResolved extends Schema.TaggedError<NameNotResolved>(
  "@surety/webhooks/target/AddressLookup/NameNotResolved"
)("NameNotResolved", { code: Schema.Literals(["ENOTFOUND", "EAI_AGAIN"]) }) {}

/** Resolves a host's addresses. Results are used once and never cached. */
export class AddressLookup extends Context.Service<
  AddressLookup,
  {
    /** Returns the name's current IPv4 and IPv6 addresses, at least one, in the order to try them. */
    readonly addressesOf: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved>
  }
>()("@surety/webhooks/target/AddressLookup") {}
