import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"

/** A package as npm would publish it. */
const packed = async (directory: string): Promise<Uint8Array> => {
  const target = await mkdtemp(path.join(tmpdir(), "surety-packed-"))
  const flags = ["pack", "--ignore-scripts", "--silent", "--pack-destination", target]
  const { stdout } = await promisify(execFile)("npm", flags, { cwd: directory })
  const tarball = await readFile(path.join(target, stdout.trim()))
  await rm(target, { recursive: true })
  return new Uint8Array(tarball)
}

/**
 * What publint and "are the types wrong" have against a package as it would be published: whether it loads, and has its
 * right types, by `import` and by `require`, under every way of resolving modules.
 */
export const packagingFaults = async (directory: string): Promise<ReadonlyArray<string>> => {
  const tarball = await packed(directory)
  const { messages } = await publint({ pack: { tarball: tarball.slice().buffer }, strict: true })
  const types = await checkPackage(createPackageFromTarballData(tarball))
  const wrong = types.types === false ? ["no types"] : types.problems.map((problem) => JSON.stringify(problem))
  return [...messages.map((message) => JSON.stringify(message)), ...wrong]
}
