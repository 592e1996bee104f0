import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import type { StoreError } from "../StoreError.js"
import { decideKeys } from "./decideKeys.js"
import { KeyCanaryStore } from "./KeyCanaryStore.js"
import { Keyring, type SealedSecret } from "./Keyring.js"

/** The listed secret keys do not match this store. The message names keys by id and says which to list. */
export class SecretKeysRefused extends Schema.TaggedError<SecretKeysRefused>(
  "@surety/core/secret/SecretKeys/SecretKeysRefused"
)("SecretKeysRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

const named = (ids: ReadonlyArray<string>): string => `${ids.length === 1 ? "key" : "keys"} ${ids.join(", ")}`

const unknown = (listed: ReadonlyArray<string>, known: ReadonlyArray<string>) =>
  new SecretKeysRefused({
    reason:
      `This database was used with secret ${named(known)}, and the list has only ${named(listed)}. ` +
      "List the key that it was used with; a new one goes in front of it."
  })

const missing = (ids: ReadonlyArray<string>) =>
  new SecretKeysRefused({
    reason:
      `Secrets that are still in use were sealed under secret ${named(ids)}, not in the list. ` +
      "Put it back, behind the active key."
  })

const unlike = (id: string) =>
  new SecretKeysRefused({
    reason: `The listed secret key ${id} does not open what this database has of that id. List the key that it was used with.`
  })

const lost = (id: string) =>
  new SecretKeysRefused({
    reason:
      `The active secret key ${id} was declared lost in this database. List it behind another key: it opens there what ` +
      `it sealed. Or make it active again: first delete its row (key_id '${id}') from the table secret_key, as the ` +
      "tables' owner."
  })

/** The keyring to check, and the store's record of its keys. */
export type Needs = Keyring | KeyCanaryStore

/** Owner under which canaries are sealed, instead of a record's id. */
const owner = "surety secret key"
const text = "canary"

const open = Effect.fnUntraced(function* (keyring: Keyring["Service"], canary: SealedSecret) {
  const opened = yield* Effect.option(keyring.open(owner, canary))
  if (opened._tag === "None" || Redacted.value(opened.value) !== text) return yield* unlike(canary.keyId)
})

/**
 * Fails unless the keyring matches this store:
 *
 * - Each listed key that has a canary opens it.
 * - At least one listed key has a canary, unless the store has no canaries.
 * - Every key that seals a secret in use is listed, unless it was declared lost.
 * - The active key was not declared lost.
 *
 * Stores a canary for a new active key unless `keep` is false. Run it at every start, before anything is sealed.
 */
export const check: (options?: {
  readonly keep: boolean
}) => Effect.Effect<void, SecretKeysRefused | StoreError, Needs> = Effect.fn("SecretKeys.check")(function* (
  { keep } = { keep: true }
) {
  const keyring = yield* Keyring
  const store = yield* KeyCanaryStore
  const { keyIds } = keyring
  const canary = keep ? yield* keyring.seal(owner, Redacted.make(text)) : undefined
  const opened = new Set<string>()
  while (true) {
    const now = yield* DateTime.now
    const verdict = yield* store.admit(now, (known) => decideKeys(known, { keyIds, canary, opened }))
    switch (verdict._tag) {
      case "Admitted":
        return
      case "Unknown":
        return yield* unknown(keyIds, verdict.knownIds)
      case "Missing":
        return yield* missing(verdict.missingIds)
      case "Lost":
        return yield* lost(verdict.keyId)
      case "Unopened":
        yield* open(keyring, verdict.canary)
        opened.add(verdict.canary.keyId)
    }
  }
})

/** Layer that runs `check` when it is built, and fails if the keys do not match the store. */
export const layer: Layer.Layer<never, SecretKeysRefused | StoreError, Needs> = Layer.effectDiscard(check())
