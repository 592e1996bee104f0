import { Schema } from "effect"

/**
 * Scopes of API keys. `test-helpers:…` are for the sandbox's test helpers, in TEST (contract 14). A key without
 * `scopes` has all of them.
 */
export const KeyScope = Schema.Literals([
  "refunds:read",
  "refunds:write",
  "identity:read",
  "data-requests:read",
  "data-requests:write",
  "grants:read",
  "kyc:read",
  "kyc:write",
  "events:read",
  "events:write",
  "requests:read",
  "test-helpers:read",
  "test-helpers:write"
])
export type KeyScope = typeof KeyScope.Type

/** Scopes of a key: at least one, each at most once. */
export const KeyScopes = Schema.Array(KeyScope).check(
  Schema.isMinLength(1, { expected: "at least one scope; omit the field for a key that may do everything" }),
  Schema.isMaxLength(KeyScope.literals.length, { expected: "each scope once" }),
  Schema.isUnique({ expected: "each scope once" })
)
