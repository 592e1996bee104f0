import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

const root = path.resolve(import.meta.dirname, "../..")
const run = promisify(execFile)

/** A package for merchants. Tests use its build, not its sources. */
export interface InstalledPackage {
  readonly directory: string
  /** Builds the package and its dependencies. Skips JavaScript that is up to date. */
  readonly ensureBuilt: () => Promise<void>
  /**
   * Creates a merchant's project that can import the built package and `others` by name. `others` come from the
   * package's own `node_modules`. Returns the project's directory.
   */
  readonly installInto: (others?: ReadonlyArray<string>) => Promise<string>
}

/** Returns the package of this name below `packages`. */
export const installedPackage = (name: string): InstalledPackage => {
  const directory = path.join(root, "packages", name)
  const installInto = async (others: ReadonlyArray<string> = []): Promise<string> => {
    await ensureBuilt(name)
    const consumer = await mkdtemp(path.join(tmpdir(), `${name}-consumer-`))
    for (const installed of [`@surety/${name}`, ...others]) {
      const link = path.join(consumer, "node_modules", installed)
      await mkdir(path.dirname(link), { recursive: true })
      const own = installed === `@surety/${name}`
      await symlink(own ? directory : path.join(directory, "node_modules", installed), link)
    }
    return consumer
  }
  return { directory, ensureBuilt: () => ensureBuilt(name), installInto }
}

/** Builds the named packages (default: all) and their dependencies. Skips JavaScript that is up to date. */
export const ensureBuilt = (...names: ReadonlyArray<string>): Promise<void> =>
  underLock(path.join(root, "node_modules", ".build-lock"), async () => {
    await run(process.execPath, [path.join(root, "scripts/build.ts"), "--if-stale", ...names])
  })

export const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

const staleLockMillis = 240_000

/**
 * Runs a build under a lock. Test files run concurrently in separate processes, so one builds and the others wait. A
 * lock that is older than 4 minutes is removed.
 */
export const underLock = async <A>(lock: string, build: () => Promise<A>): Promise<A> => {
  while (!(await taken(lock))) await sleep(50)
  return build().finally(() => rm(lock, { recursive: true, force: true }))
}

const taken = async (lock: string): Promise<boolean> => {
  const made = await mkdir(lock).then(
    () => true,
    () => false
  )
  if (made) return true
  const age = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0
  )
  if (age > staleLockMillis) await rm(lock, { recursive: true, force: true })
  return false
}
