import { Effect, FileSystem, Path, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64, Base64Url } from "effect/encoding"
import { makeDirectories } from "./makeDirectories.js"
import type { Settings } from "./settings/Settings.js"

/** The keys that the server runs with. */
export interface ServerKeys {
  readonly operatorToken: Redacted.Redacted<string>
  readonly secretKeys: readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]
}

/** A development key in `DATA_DIR` is not what was once written there. */
export class DevelopmentKeyUnreadable extends Schema.TaggedError<DevelopmentKeyUnreadable>(
  "@surety/server/DevelopmentKeys/DevelopmentKeyUnreadable"
)("DevelopmentKeyUnreadable", { file: Schema.String }) {
  override get message(): string {
    return `${this.file} does not hold 32 bytes in base64. Restore it: what was sealed under it cannot be read without it.`
  }
}

const ownerOnly = 0o600

/** The text kept in a file of `dataDir`, made by `make` when there is no such file yet. */
const kept = Effect.fnUntraced(function* (dataDir: string, name: string, make: Effect.Effect<string>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(dataDir, name)
  if (yield* files.exists(file)) return { file, text: (yield* files.readFileString(file)).trim() }
  yield* makeDirectories(dataDir)
  const text = yield* make
  yield* files.writeFileString(file, `${text}\n`, { mode: ownerOnly })
  return { file, text }
})

/**
 * The operator's token and the secret keys as set, or, in development, made once and kept in `DATA_DIR` for its owner
 * alone.
 */
export const serverKeys = Effect.fn("serverKeys")(function* (settings: Settings) {
  const random = yield* SecureRandom.SecureRandom
  const [firstKey, ...otherKeys] = settings.secretKeys ?? []

  const operatorToken =
    settings.operatorToken ??
    Redacted.make(
      (yield* kept(
        settings.dataDir,
        "operator-token",
        Effect.map(random.randomBytes(24), (bytes) => `op_${Base64Url.encode(bytes)}`)
      )).text,
      { label: "operator token" }
    )
  if (firstKey !== undefined) {
    return { operatorToken, secretKeys: [firstKey, ...otherKeys] } satisfies ServerKeys
  }
  const { file, text } = yield* kept(settings.dataDir, "secrets-key", Effect.map(random.randomBytes(32), Base64.encode))
  const bytes = Base64.decode(text)
  if (Result.isFailure(bytes) || bytes.success.length !== 32) return yield* new DevelopmentKeyUnreadable({ file })
  return { operatorToken, secretKeys: [Redacted.make(bytes.success, { label: "secret key" })] } satisfies ServerKeys
})
