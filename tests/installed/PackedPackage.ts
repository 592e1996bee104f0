import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { createPackageFromTarballData, type Package } from "@arethetypeswrong/core"
import { readPackages, root } from "../../scripts/packages.ts"
import type { ExportsTarget } from "../architecture/ExportsMap.js"
import { ensureBuilt, underLock } from "./InstalledPackage.js"

/** The fields of a package's manifest that tests read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly license?: string
  readonly engines?: { readonly node?: string }
  readonly sideEffects?: boolean | ReadonlyArray<string>
  readonly exports: Readonly<Record<string, ExportsTarget>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
}

/** A package in its published form. */
export interface PackedPackage {
  readonly manifest: Manifest
  readonly tarball: string
  /** Files in the tarball, relative to the package. */
  readonly files: ReadonlyArray<string>
  readonly read: (file: string) => string
  /** The tarball's files in the form that "are the types wrong" reads. */
  readonly contents: Package
}

/** Every package below `packages` as a tarball. `get` takes the name of a package's directory. */
export interface PackedPackages {
  readonly get: (name: string) => PackedPackage
  readonly all: ReadonlyArray<PackedPackage>
}

const run = promisify(execFile)

/**
 * Returns the environment for npm, pnpm and a host's programs. Omits the test run's variables that could change their
 * behaviour, such as `INIT_CWD` and `NODE_ENV`.
 */
export const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_config_local_prefix|npm_package_|npm_lifecycle_|INIT_CWD|NODE_ENV|NODE_OPTIONS|VITEST)/.test(name)
    )
  )

/**
 * Makes `directoryExists` look up directories in a set. The original method scans all file names on each call, which
 * takes half the time of an "are the types wrong" check.
 */
const withDirectories = (contents: Package): Package => {
  const directories = new Set<string>()
  for (const file of contents.listFiles()) {
    for (let at = path.posix.dirname(file); !directories.has(at); at = path.posix.dirname(at)) directories.add(at)
  }
  contents.directoryExists = (directory) => directories.has(directory.replace(/(?<=.)\/$/, ""))
  return contents
}

const readPacked = async (tarball: string): Promise<PackedPackage> => {
  const contents = withDirectories(createPackageFromTarballData(new Uint8Array(await readFile(tarball))))
  const prefix = `/node_modules/${contents.packageName}/`
  const read = (file: string) => contents.readFile(prefix + file)
  const files = contents.listFiles().map((file) => file.slice(prefix.length))
  const manifest: Manifest = JSON.parse(read("package.json"))
  return { manifest, tarball, files, read, contents }
}

const cache = path.join(root, "node_modules", ".cache", "packed")

/**
 * Returns a hash of the files that determine the tarballs, as a directory name. A package's build records the hash of
 * its sources in `.build.json`, so the built files need not be read.
 */
const contentsName = (): string => {
  const hash = createHash("sha256")
  const ofPackages = [...readPackages().values()].flatMap(({ directory }) =>
    ["package.json", "README.md", "LICENSE", "dist/.build.json"].map((file) => path.join(directory, file))
  )
  const shared = ["LICENSE", "pnpm-workspace.yaml", "scripts/publishTypes.ts"].map((file) => path.join(root, file))
  for (const file of [...shared, ...ofPackages]) hash.update(existsSync(file) ? readFileSync(file) : "").update("\0")
  return hash.digest("hex").slice(0, 16)
}

/**
 * Packs all packages and replaces the cached tarballs, unless those already have the same contents. Returns the
 * tarballs' directory.
 */
const packOnce = async (): Promise<string> => {
  const packed = path.join(cache, contentsName())
  if (existsSync(packed)) return packed
  await rm(cache, { recursive: true, force: true })
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(path.join(cache, "packing-"))
  const pnpm = ["--yes", "--prefer-offline", "pnpm", "--recursive", "--filter", "./packages/*"]
  const env = { ...ownEnvironment(), pnpm_config_verify_deps_before_run: "false" }
  await run("npx", [...pnpm, "pack", "--pack-destination", fresh], { cwd: root, env })
  await rename(fresh, packed)
  return packed
}

/**
 * Builds stale packages, then packs every package with pnpm, as for publishing. pnpm fills in the version ranges and
 * the published exports.
 */
export const packPackages = async (): Promise<PackedPackages> => {
  await ensureBuilt()
  const directory = await underLock(path.join(root, "node_modules", ".pack-lock"), packOnce)
  const tarballs = (await readdir(directory)).map((file) => path.join(directory, file))
  const all = await Promise.all(tarballs.map(readPacked))
  const get = (name: string): PackedPackage => {
    const found = all.find(({ manifest }) => manifest.name === `@surety/${name}`)
    if (found === undefined) throw new Error(`@surety/${name} was not packed`)
    return found
  }
  return { get, all }
}
