import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { defineConfig } from "tsup"

const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

/**
 * `require` needs declarations of its own: a `.d.ts` of this package describes an ES module. They are `tsc`'s, under
 * another name and naming each other by it.
 */
const commonJsDeclarations = (): void => {
  const emitted = path.join("dist", ".declarations")
  rmSync(emitted, { recursive: true, force: true })
  const options = { project: "tsconfig.src.json", outDir: emitted, composite: false, declarationMap: false }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  execFileSync(process.execPath, [tsc, ...flags, "--tsBuildInfoFile", "null"], { stdio: "inherit" })
  for (const file of readdirSync(emitted)) {
    const declarations = readFileSync(path.join(emitted, file), "utf8")
    const target = path.join("dist", file.replace(/\.d\.ts$/, ".d.cts"))
    writeFileSync(target, declarations.replace(/(?<=["']\.\/[^"']+\.)js(?=["'])/g, "cjs"))
  }
  rmSync(emitted, { recursive: true })
}

// Unlike the other packages this one is bundled, twice: a merchant may be on ES modules or on CommonJS, on any runtime.
export default defineConfig({
  entry: ["src/index.ts", "src/testing.ts"],
  tsconfig: "tsconfig.src.json",
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  splitting: false,
  sourcemap: true,
  dts: false,
  clean: ["!**/*.d.ts", "!**/*.d.ts.map", "!*.tsbuildinfo"],
  onSuccess: async () => commonJsDeclarations()
})
