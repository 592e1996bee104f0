import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { SealedSecret } from "./Keyring.js"

/** What a store knows of the secret keys that were used with it. */
export interface KnownKeys {
  /** A known text, sealed under each key that was ever active. */
  readonly canaries: ReadonlyArray<SealedSecret>
  /** The ids of the keys under which secrets are sealed that are still in use: webhook secrets and consent links. */
  readonly sealedUnder: ReadonlyArray<string>
}

/** What is answered, and the canary that is kept with it, if any. */
export interface KeyDecision<A> {
  readonly answer: A
  readonly canary: SealedSecret | undefined
}

/**
 * Remembers which secret keys a store was used with, so that another one is noticed at the start and not when the first
 * webhook cannot be signed.
 */
export class KeyCanaryStore extends Context.Service<
  KeyCanaryStore,
  {
    /**
     * Decides on the keys that are known and keeps the canary of the decision, in one step: of servers that start at once
     * each decides on what the ones before have kept. A secret that ended before `now` is not in use.
     */
    readonly admit: <A>(now: DateTime.Utc, decide: (known: KnownKeys) => KeyDecision<A>) => Effect.Effect<A, StoreError>
  }
>()("@surety/core/secret/KeyCanaryStore") {}
