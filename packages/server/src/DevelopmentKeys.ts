import { Effect, FileSystem, Path, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64, Base64Url } from "effect/encoding"
import { makeDirectories } from "./makeDirectories.js"
import { readOperatorToken, tokenRule } from "./settings/operatorSettings.js"
import type { Settings } from "./settings/Settings.js"

export interface ServerKeys {
  /** Undefined if `OPERATOR_TOKENS` is set and `OPERATOR_TOKEN` is not. */
  readonly operatorToken: Redacted.Redacted<string> | undefined
  readonly secretKeys: readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]
}

export class DevelopmentKeyUnreadable extends Schema.TaggedError<DevelopmentKeyUnreadable>(
  "@surety/server/DevelopmentKeys/DevelopmentKeyUnreadable"
)("DevelopmentKeyUnreadable", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} does not hold 32 bytes in base64. Restore it: data sealed under this key cannot be read without it.`
  }
}

export class OperatorTokenMissing extends Schema.TaggedError<OperatorTokenMissing>(
  "@surety/server/DevelopmentKeys/OperatorTokenMissing"
)("OperatorTokenMissing", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} has no operator token. Set DATA_DIR to the server's directory, or OPERATOR_TOKEN to its token.`
  }
}

export class OperatorTokenUnusable extends Schema.TaggedError<OperatorTokenUnusable>(
  "@surety/server/DevelopmentKeys/OperatorTokenUnusable"
)("OperatorTokenUnusable", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} holds no operator's token, which ${tokenRule}. Delete it: the next start creates another.`
  }
}

const ownerOnly = 0o600

/** Name of the file in `DATA_DIR` that holds the operator's token. */
export const operatorTokenFile = "operator-token"

const usableToken = ({ file, text }: { readonly file: string; readonly text: string }) =>
  Effect.mapError(Effect.fromResult(readOperatorToken(text)), () => new OperatorTokenUnusable({ file }))

/**
 * Reads a file in `dataDir`. If the file is missing, returns the result of `make`, and stores it if `keep` is set.
 * Writes to a temporary name and then renames, so a crash leaves no empty file.
 */
const kept = Effect.fnUntraced(function* (dataDir: string, name: string, make: Effect.Effect<string>, keep: boolean) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(dataDir, name)
  if (yield* files.exists(file)) return { file, text: (yield* files.readFileString(file)).trim() }
  const text = yield* make
  if (!keep) return { file, text }
  yield* makeDirectories(dataDir)
  const unfinished = `${file}.new`
  yield* files.writeFileString(unfinished, `${text}\n`, { mode: ownerOnly })
  yield* files.rename(unfinished, file)
  return { file, text }
})

/**
 * Returns the operator's token and the secret keys from the settings. Reads unset ones from their files in `DATA_DIR`.
 * Creates a missing file, readable only by its owner. Does not use the token's file if `OPERATOR_TOKENS` is set.
 *
 * If `keep` is false, a missing value is generated but not stored. This suffices for a command that neither encrypts
 * nor decrypts. Fails with `DevelopmentKeyUnreadable` if the stored secret key is not 32 bytes in base64, and with
 * `OperatorTokenUnusable` if the stored token is not a valid `OPERATOR_TOKEN`.
 */
export const serverKeys = Effect.fn("serverKeys")(function* (
  settings: Settings,
  { keep }: { readonly keep: boolean } = { keep: true }
) {
  const random = yield* SecureRandom.SecureRandom
  const [firstKey, ...otherKeys] = settings.secretKeys ?? []

  const token =
    settings.operators === undefined
      ? kept(
          settings.dataDir,
          operatorTokenFile,
          Effect.map(random.randomBytes(24), (bytes) => `op_${Base64Url.encode(bytes)}`),
          keep
        )
      : undefined
  const operatorToken = settings.operatorToken ?? (token && (yield* Effect.flatMap(token, usableToken)))
  if (firstKey !== undefined) {
    return { operatorToken, secretKeys: [firstKey, ...otherKeys] } satisfies ServerKeys
  }
  const { file, text } = yield* kept(
    settings.dataDir,
    "secrets-key",
    Effect.map(random.randomBytes(32), Base64.encode),
    keep
  )
  const bytes = Base64.decode(text)
  if (Result.isFailure(bytes) || bytes.success.length !== 32) return yield* new DevelopmentKeyUnreadable({ file })
  return { operatorToken, secretKeys: [Redacted.make(bytes.success, { label: "secret key" })] } satisfies ServerKeys
})

/**
 * Returns the operator's token from `OPERATOR_TOKEN` or, if that is unset, from its file in `DATA_DIR`. Fails with
 * `OperatorTokenMissing` if neither exists, and with `OperatorTokenUnusable` if the stored token is not a valid
 * `OPERATOR_TOKEN`. Never creates a token.
 */
export const operatorToken = Effect.fn("operatorToken")(function* (settings: Settings) {
  if (settings.operatorToken !== undefined) return settings.operatorToken
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(settings.dataDir, operatorTokenFile)
  if (!(yield* files.exists(file))) return yield* new OperatorTokenMissing({ file })
  return yield* usableToken({ file, text: (yield* files.readFileString(file)).trim() })
})
