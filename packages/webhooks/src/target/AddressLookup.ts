import { Context, type Effect, Schema } from "effect"

/**
 * A name has no address. `code` is as Node's look-ups have it: `ENOTFOUND` when there is none, `EAI_AGAIN` when it could
 * not be found out.
 */
export class NameNotResolved extends Schema.TaggedError<NameNotResolved>(
  "@surety/webhooks/target/AddressLookup/NameNotResolved"
)("NameNotResolved", { code: Schema.Literals(["ENOTFOUND", "EAI_AGAIN"]) }) {}

/** Finds the addresses of a host. Answers are used once and never kept. */
export class AddressLookup extends Context.Service<
  AddressLookup,
  {
    /** All addresses that the name has now, of both families, at least one, in the order in which to try them. */
    readonly addressesOf: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved>
  }
>()("@surety/webhooks/target/AddressLookup") {}
