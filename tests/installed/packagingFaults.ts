import { readFile } from "node:fs/promises"
import { checkPackage, type Problem } from "@arethetypeswrong/core"
import { publint } from "publint"
import { entryPoints } from "./EntryPoints.js"
import type { PackedPackage } from "./PackedPackage.js"

/** True if a package has separate files for `require`. */
const hasCommonJs = ({ files }: PackedPackage): boolean => files.some((file) => file.endsWith(".cjs"))

/**
 * True for a problem that is a known limitation of ESM-only packages. TypeScript's `node10` resolution ignores
 * `exports`, and `node16` assumes that `require` cannot load ES modules.
 */
const isOfEsModulesAlone = (problem: Problem): boolean =>
  problem.kind === "CJSResolvesToESM" || (problem.kind === "NoResolution" && problem.resolutionKind === "node10")

/**
 * Returns the faults that publint and "are the types wrong" find in a published package, such as a module that does not
 * resolve or has the wrong types. Omits known limitations of ESM-only packages.
 */
export const packagingFaults = async (pkg: PackedPackage): Promise<ReadonlyArray<string>> => {
  const tarball = new Uint8Array(await readFile(pkg.tarball)).buffer
  const { messages } = await publint({ pack: { tarball }, strict: true })
  const entries = entryPoints(pkg)
  // A command-only package has no module to import.
  const types = entries.length === 0 ? undefined : await checkPackage(pkg.contents, { entrypoints: [...entries] })
  const problems = types?.types === false ? ["no types"] : (types?.problems ?? [])
  const wrong = problems.filter(
    (problem) => typeof problem === "string" || hasCommonJs(pkg) || !isOfEsModulesAlone(problem)
  )
  return [...messages, ...wrong].map((fault) => JSON.stringify(fault))
}
