import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { SealedSecret } from "./Keyring.js"

/** A store's record of the secret keys used with it. */
export interface KnownKeys {
  /** One canary per recorded key: a known text sealed under that key. Excludes keys declared lost. */
  readonly canaries: ReadonlyArray<SealedSecret>
  /**
   * Ids of the keys under which unexpired webhook secrets or stored consent links are sealed. Excludes keys declared
   * lost.
   */
  readonly sealedUnder: ReadonlyArray<string>
  /** Ids of the keys declared lost. Only the tables' owner declares a key lost, or withdraws that. */
  readonly lostIds: ReadonlyArray<string>
}

/** A verdict on the keys, and the canary to store with it, if any. */
export interface KeyDecision<A> {
  readonly answer: A
  readonly canary: SealedSecret | undefined
}

/**
 * Records which secret keys a store was used with, but not the keys themselves. A wrong key therefore fails at start-up
 * rather than at the first webhook.
 */
export class KeyCanaryStore extends Context.Service<
  KeyCanaryStore,
  {
    /**
     * Reads the known keys, calls `decide` and stores the decision's canary, atomically. If several servers start
     * concurrently, each therefore reads the canaries stored by earlier ones. `now` determines which webhook secrets
     * have expired.
     */
    readonly admit: <A>(now: DateTime.Utc, decide: (known: KnownKeys) => KeyDecision<A>) => Effect.Effect<A, StoreError>
  }
>()("@surety/core/secret/KeyCanaryStore") {}
