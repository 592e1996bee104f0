import type { KeyDecision, KnownKeys } from "./KeyCanaryStore.js"
import type { SealedSecret } from "./Keyring.js"

/** The keys listed at a start. */
export interface ListedKeys {
  /** Ids of the keys, the active one first. */
  readonly keyIds: ReadonlyArray<string>
  /** The canary under the active key. Undefined stores none. */
  readonly canary: SealedSecret | undefined
  /** Ids of the keys whose canaries were opened. */
  readonly opened: ReadonlySet<string>
}

export type KeyVerdict =
  | { readonly _tag: "Admitted" }
  /** Open this canary under its key, and decide again. */
  | { readonly _tag: "Unopened"; readonly canary: SealedSecret }
  /** None of the listed keys was ever used here. */
  | { readonly _tag: "Unknown"; readonly knownIds: ReadonlyArray<string> }
  /** Secrets in use are sealed under keys that are not listed. */
  | { readonly _tag: "Missing"; readonly missingIds: ReadonlyArray<string> }

/**
 * Decides whether a store may be used with these keys. A store without canaries is new, or older than canaries. A new
 * key becomes active only alongside a known one, so a wrong key cannot pass for a new one.
 */
export const decideKeys = (
  { canaries, sealedUnder }: KnownKeys,
  { canary, keyIds, opened }: ListedKeys
): KeyDecision<KeyVerdict> => {
  const refuse = (answer: KeyVerdict): KeyDecision<KeyVerdict> => ({ answer, canary: undefined })
  const missingIds = sealedUnder.filter((id) => !keyIds.includes(id))
  if (missingIds.length > 0) return refuse({ _tag: "Missing", missingIds: missingIds.toSorted() })
  const listed = canaries.filter(({ keyId }) => keyIds.includes(keyId))
  if (canaries.length > 0 && listed.length === 0) {
    return refuse({ _tag: "Unknown", knownIds: canaries.map(({ keyId }) => keyId).toSorted() })
  }
  const unopened = listed.find(({ keyId }) => !opened.has(keyId))
  if (unopened !== undefined) return refuse({ _tag: "Unopened", canary: unopened })
  const isKnown = listed.some(({ keyId }) => keyId === keyIds[0])
  return { answer: { _tag: "Admitted" }, canary: isKnown ? undefined : canary }
}
