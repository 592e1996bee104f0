import { Context, type Effect, Schema } from "effect"

/**
 * A name did not resolve. `code` is Node's: `ENOTFOUND` if it has no address, `EAI_AGAIN` if the lookup itself failed.
 */
export class NameNotResolved extends Schema.TaggedError<NameNotResolved>(
  "@surety/webhooks/target/AddressLookup/NameNotResolved"
)("NameNotResolved", { code: Schema.Literals(["ENOTFOUND", "EAI_AGAIN"]) }) {}

/** Resolves a host's addresses. Results are used once and never cached. */
export class AddressLookup extends Context.Service<
  AddressLookup,
  {
    /** The name's current addresses of both families, in the order to try them. At least one. */
    readonly addressesOf: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved>
  }
>()("@surety/webhooks/target/AddressLookup") {}
