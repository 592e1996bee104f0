import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { transform } from "esbuild"

const root = fileURLToPath(new URL("../..", import.meta.url))
const tsc = path.join(root, "node_modules/typescript/bin/tsc")
const run = promisify(execFile)

/** The code of one `@example` in a docstring. */
export interface Example {
  /** File, and the line where the docstring begins, such as `refunds.ts:24`. */
  readonly place: string
  readonly code: string
}

const examplesIn = (file: string, source: string): ReadonlyArray<Example> =>
  [...source.matchAll(/\/\*\*(?:(?!\*\/).)*?@example\n(.*?)\*\//gsu)].map((match) => ({
    place: `${file}:${source.slice(0, match.index).split("\n").length}`,
    code: (match[1] ?? "").replace(/^\s*\* ?/gmu, "").trim()
  }))

/** Returns every example in a package's docstrings, except in generated files. */
export const examplesOf = (packageName: string): ReadonlyArray<Example> => {
  const directory = path.join(root, "packages", packageName, "src")
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".generated.ts"))
    .sort()
    .flatMap((file) => examplesIn(file, readFileSync(path.join(directory, file), "utf8")))
}

/**
 * Returns the compiler's errors for the examples, each of which is a separate module. `given` contains the declarations
 * that the examples assume. `types` selects the types from the sources or from the build. The build is cheaper for a
 * package with many dependencies.
 */
export const typeErrorsOf = async (
  packageName: string,
  examples: ReadonlyArray<Example>,
  given = "",
  types: "of sources" | "built" = "of sources"
): Promise<string> => {
  const directory = mkdtempSync(path.join(tmpdir(), "surety-examples-"))
  try {
    mkdirSync(path.join(directory, "node_modules/@surety"), { recursive: true })
    symlinkSync(path.join(root, "packages", packageName), path.join(directory, "node_modules/@surety", packageName))
    symlinkSync(path.join(root, "node_modules/@types"), path.join(directory, "node_modules/@types"))
    for (const { code, place } of examples) {
      writeFileSync(path.join(directory, `${place.replaceAll(/\W/gu, "-")}.mts`), `${code}\nexport {}\n`)
    }
    writeFileSync(path.join(directory, "given.d.ts"), given)
    const files = readdirSync(directory).filter((file) => file.endsWith(".mts"))
    const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit"]
    const target = ["--skipLibCheck", "--target", "es2024", "--module", "nodenext", "--types", "node"]
    const sources = types === "built" ? [] : ["--customConditions", "source"]
    return await run(process.execPath, [tsc, ...strict, ...target, ...sources, "given.d.ts", ...files], {
      cwd: directory
    }).then(
      () => "",
      // The compiler prints no errors if it crashes.
      (failed: { readonly stdout: string }) => failed.stdout || `The compiler failed: ${String(failed)}`
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Runs an example with the given modules and globals. Returns its `console.log` output, one entry per call. */
export const runExample = async (
  { code }: Example,
  modules: Readonly<Record<string, object>>,
  given: Readonly<Record<string, unknown>> = {}
): Promise<ReadonlyArray<string>> => {
  const { code: plain } = await transform(code, { loader: "ts", format: "esm", target: "es2022" })
  const body = plain.replace(/^import (\{[^}]*\}) from ("[^"]+");?$/gmu, "const $1 = modules[$2];")
  const printed: Array<string> = []
  const around = {
    ...given,
    modules,
    console: { log: (...values: ReadonlyArray<unknown>) => printed.push(values.join(" ")) }
  }
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  await new AsyncFunction(...Object.keys(around), body)(...Object.values(around))
  return printed
}
