import { readFile } from "node:fs/promises"
import { checkPackage, type Problem } from "@arethetypeswrong/core"
import { publint } from "publint"
import { entryPoints } from "./EntryPoints.js"
import type { PackedPackage } from "./PackedPackage.js"

/** Whether a package has files of its own for `require`. */
const isForBoth = ({ files }: PackedPackage): boolean => files.some((file) => file.endsWith(".cjs"))

/**
 * Limits of packages of ES modules alone: compilers that do not read `exports`, and CommonJS compilers that do not know
 * that Node's `require` takes ES modules.
 */
const isOfEsModulesAlone = (problem: Problem): boolean =>
  problem.kind === "CJSResolvesToESM" || (problem.kind === "NoResolution" && problem.resolutionKind === "node10")

/**
 * The faults that publint and "are the types wrong" find in a package as it would be published: whether each of its
 * modules loads, and has its right types, under every way of resolving modules that the package is for.
 */
export const packagingFaults = async (pkg: PackedPackage): Promise<ReadonlyArray<string>> => {
  const tarball = new Uint8Array(await readFile(pkg.tarball)).buffer
  const { messages } = await publint({ pack: { tarball }, strict: true })
  const entries = entryPoints(pkg)
  // A package of a command alone has no module to import.
  const types = entries.length === 0 ? undefined : await checkPackage(pkg.contents, { entrypoints: [...entries] })
  const problems = types?.types === false ? ["no types"] : (types?.problems ?? [])
  const wrong = problems.filter(
    (problem) => typeof problem === "string" || isForBoth(pkg) || !isOfEsModulesAlone(problem)
  )
  return [...messages, ...wrong].map((fault) => JSON.stringify(fault))
}
