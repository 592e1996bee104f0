import { createHash } from "node:crypto"
import { Redacted } from "effect"

/** Returns the `tokenHash` of an operator's token: its SHA-256 in lower-case hex. */
export const tokenHashOf = (token: Redacted.Redacted<string>): string =>
  createHash("sha256").update(Redacted.value(token)).digest("hex")
