import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { ownEnvironment, type PackedPackages } from "./PackedPackage.js"

const run = promisify(execFile)

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A project outside the workspace in which plain npm has installed every package below `packages`. */
export interface HostProject extends AsyncDisposable {
  readonly directory: string
  readonly write: (file: string, text: string) => Promise<void>
  /** Runs a program in the project's directory. Resolves even if the program fails. */
  readonly run: (program: string, args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Promise<Ended>
  /** Returns npm's errors about the dependency tree, such as an unmet range or a missing package. */
  readonly treeFaults: () => Promise<string>
}

interface Failed {
  readonly code?: number | string
  readonly stdout: string
  readonly stderr: string
}

const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]

/**
 * Linux keeps this directory's files in memory. Writing and removing ten thousand of them costs half as much as on
 * disk.
 */
const inMemory = "/dev/shm"
const plenty = 2 * 2 ** 30

const hasPlenty = (directory: string): Promise<boolean> =>
  statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize >= plenty && process.availableMemory() >= 2 * plenty,
    () => false
  )

/** True if programs in this directory can be executed; some machines forbid it. Leaves a test program behind. */
const runsPrograms = async (directory: string): Promise<boolean> => {
  const program = path.join(directory, "runs")
  await writeFile(program, "#!/bin/sh\n", { mode: 0o755 })
  return run(program).then(
    () => true,
    () => false
  )
}

/**
 * Creates a temporary directory outside the workspace. It is in memory if the machine has plenty of memory and can run
 * programs there.
 */
export const makeProjectDirectory = async (): Promise<string> => {
  if (await hasPlenty(inMemory)) {
    const made = await mkdtemp(path.join(inMemory, "surety-host-"))
    if (await runsPrograms(made)) return made
    await rm(made, { recursive: true })
  }
  return mkdtemp(path.join(tmpdir(), "surety-host-"))
}

export const installHostProject = async (
  packed: PackedPackages,
  others: Readonly<Record<string, string>>
): Promise<HostProject> => {
  const directory = await makeProjectDirectory()
  const runIn: HostProject["run"] = (program, args, env = {}) =>
    run(program, [...args], { cwd: directory, env: { ...ownEnvironment(), ...env }, maxBuffer: 2 ** 26 }).then(
      (said) => ({ code: 0, ...said }),
      ({ code, stdout, stderr }: Failed) => ({ code: Number(code ?? -1), stdout, stderr })
    )
  const write: HostProject["write"] = async (file, text) => {
    await mkdir(path.dirname(path.join(directory, file)), { recursive: true })
    await writeFile(path.join(directory, file), text)
  }
  const dependencies = Object.fromEntries(packed.all.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]))
  await write("package.json", JSON.stringify({ private: true, dependencies: { ...dependencies, ...others } }))
  const installed = await runIn("npm", ["install", ...quietly])
  if (installed.code !== 0) throw new Error(`npm could not install the packages:\n${installed.stderr}`)
  return {
    directory,
    write,
    run: runIn,
    treeFaults: async () => (await runIn("npm", ["ls", "--all", "--loglevel=error"])).stderr,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
