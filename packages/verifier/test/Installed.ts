import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

/** The package's own directory. */
export const packageDirectory = path.resolve(import.meta.dirname, "..")

const run = promisify(execFile)

/** Builds the package where its `dist` is not what its sources say: this file's tests are about what merchants get. */
export const ensureBuilt = (): Promise<void> =>
  alone(async () => {
    const build = path.resolve(packageDirectory, "../../scripts/build.ts")
    await run(process.execPath, [build, "--if-stale", "verifier"])
  })

/** A merchant's directory: the built package is installed in it under its name, and these other packages too. */
export const installInto = async (others: ReadonlyArray<string> = []): Promise<string> => {
  await ensureBuilt()
  const consumer = await mkdtemp(path.join(tmpdir(), "verifier-consumer-"))
  for (const name of ["@surety/verifier", ...others]) {
    const link = path.join(consumer, "node_modules", name)
    await mkdir(path.dirname(link), { recursive: true })
    const own = name === "@surety/verifier"
    await symlink(own ? packageDirectory : path.join(packageDirectory, "node_modules", name), link)
  }
  return consumer
}

/** The compiler, as a file to run. */
export const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

const lock = path.join(packageDirectory, "node_modules", ".build-lock")
const staleLockMillis = 60_000

/** Test files run side by side, each in a process of its own: one builds, the others wait for it. */
const alone = async (build: () => Promise<void>): Promise<void> => {
  while (!(await taken())) await sleep(50)
  await build().finally(() => rm(lock, { recursive: true, force: true }))
}

const taken = async (): Promise<boolean> => {
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
