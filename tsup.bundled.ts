import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { defineConfig } from "tsup"

const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

/**
 * Writes separate declarations for `require`, because a `.d.ts` of these packages describes an ES module. They are
 * copies of `tsc`'s declarations with a different file extension, including in imports.
 */
const commonJsDeclarations = (): void => {
  const emitted = path.join("dist", ".declarations")
  rmSync(emitted, { recursive: true, force: true })
  const options = { project: "tsconfig.src.json", outDir: emitted, composite: false, declarationMap: false }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  execFileSync(process.execPath, [tsc, ...flags, "--tsBuildInfoFile", "null"], { stdio: "inherit" })
  for (const file of readdirSync(emitted, { encoding: "utf8", recursive: true })) {
    if (!file.endsWith(".d.ts")) continue
    const declarations = readFileSync(path.join(emitted, file), "utf8")
    const target = path.join("dist", file.replace(/\.d\.ts$/, ".d.cts"))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, declarations.replace(/(?<=["']\.{1,2}\/[^"']+\.)js(?=["'])/g, "cjs"))
  }
  rmSync(emitted, { recursive: true })
}

/**
 * Builds the JavaScript of a package that merchants install, and its declarations for `require`. Each entry becomes one
 * ES module and one CommonJS file, for any runtime. `andThen` runs after the build.
 */
export const bundledBuild = (entry: ReadonlyArray<string>, andThen?: () => Promise<unknown>) =>
  defineConfig({
    entry: [...entry],
    tsconfig: "tsconfig.src.json",
    format: ["esm", "cjs"],
    target: "es2022",
    platform: "neutral",
    splitting: false,
    sourcemap: true,
    dts: false,
    clean: ["!**/*.d.ts", "!**/*.d.ts.map", "!*.tsbuildinfo"],
    onSuccess: async () => {
      commonJsDeclarations()
      await andThen?.()
    }
  })
