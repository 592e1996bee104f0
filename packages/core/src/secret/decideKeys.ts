import type { KeyDecision, KnownKeys } from "./KeyCanaryStore.js"
import type { SealedSecret } from "./Keyring.js"

/** Ids of the listed secret keys, and the state of their canaries. */
export interface ListedKeys {
  /** Ids of the keys, the active one first. */
  readonly keyIds: ReadonlyArray<string>
  /** The canary to store for the active key if the store has none for it yet. If undefined, none is stored. */
  readonly canary: SealedSecret | undefined
  /** Ids of the keys whose canaries were opened. */
  readonly opened: ReadonlySet<string>
}

export type KeyVerdict =
  | { readonly _tag: "Admitted" }
  /** Undecided. Open this canary under its key, add the key's id to `opened`, and call `decideKeys` again. */
  | { readonly _tag: "Unopened"; readonly canary: SealedSecret }
  /** The store has canaries, but none for a listed key. */
  | { readonly _tag: "Unknown"; readonly knownIds: ReadonlyArray<string> }
  /** Secrets in use are sealed under keys that are not listed. */
  | { readonly _tag: "Missing"; readonly missingIds: ReadonlyArray<string> }
  /** The active key was declared lost. */
  | { readonly _tag: "Lost"; readonly keyId: string }

/**
 * Decides whether a store may be used with these keys. Every key in `sealedUnder` must be listed, and each canary of a
 * listed key must have been opened. If the store has canaries, at least one must belong to a listed key. This rule
 * keeps a wrong key from passing for a new one.
 *
 * A key declared lost may be listed, but not as the active one: the store would not miss it once it is gone again.
 */
export const decideKeys = (
  { canaries, lostIds, sealedUnder }: KnownKeys,
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
  const [active] = keyIds
  if (active !== undefined && lostIds.includes(active)) return refuse({ _tag: "Lost", keyId: active })
  const isKnown = listed.some(({ keyId }) => keyId === active)
  return { answer: { _tag: "Admitted" }, canary: isKnown ? undefined : canary }
}
