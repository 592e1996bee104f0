import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { SealedSecret } from "./Keyring.js"

/** A store's record of the secret keys used with it. */
export interface KnownKeys {
  /** A known text, sealed under each key that was ever active. */
  readonly canaries: ReadonlyArray<SealedSecret>
  /** Ids of the keys that still seal secrets in use: webhook secrets and consent links. */
  readonly sealedUnder: ReadonlyArray<string>
}

/** A verdict, and the canary to store with it. */
export interface KeyDecision<A> {
  readonly answer: A
  readonly canary: SealedSecret | undefined
}

/**
 * Remembers which secret keys a store was used with, so that a wrong key fails at start-up and not at the first
 * webhook.
 */
export class KeyCanaryStore extends Context.Service<
  KeyCanaryStore,
  {
    /**
     * Decides on the known keys and stores the decision's canary in one step. Of several servers starting concurrently,
     * each sees what earlier ones stored. A secret that ended before `now` is not in use.
     */
    readonly admit: <A>(now: DateTime.Utc, decide: (known: KnownKeys) => KeyDecision<A>) => Effect.Effect<A, StoreError>
  }
>()("@surety/core/secret/KeyCanaryStore") {}
