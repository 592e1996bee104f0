import { Effect, FileSystem, Path, type PlatformError } from "effect"

const ownerOnly = 0o700

/**
 * Creates a directory and its missing parents, accessible only to the owner. Creates them one by one: Node's recursive
 * `mkdir` loops forever on file systems such as `/proc`, which report a new directory's parent as missing.
 */
export const makeDirectories = (
  directory: string
): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    if (yield* files.exists(directory)) return
    yield* makeDirectories(path.dirname(path.resolve(directory)))
    yield* Effect.catchIf(
      files.makeDirectory(directory, { mode: ownerOnly }),
      ({ reason }) => reason._tag === "AlreadyExists",
      () => Effect.void
    )
  })
