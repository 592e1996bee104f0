import { Effect, FileSystem, Path, type PlatformError } from "effect"

const ownerOnly = 0o700

/**
 * Makes a directory and those above it that are missing, for their owner alone. One after the other: Node's own way of
 * making them all goes round for ever where a file system says of a new directory that its parent is missing, as `/proc`
 * does.
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
