import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

const packageDirectory = path.resolve(import.meta.dirname, "../..")
const tsc = path.resolve(packageDirectory, "../../node_modules/typescript/bin/tsc")

const compilerOptions = {
  noEmit: true,
  // Documented examples import files by their TypeScript names, because Node runs such files directly.
  allowImportingTsExtensions: true,
  composite: false,
  incremental: false,
  emitDeclarationOnly: false,
  declaration: false,
  declarationMap: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
  lib: ["es2024", "dom"],
  types: ["node"],
  // Uses the built types, since reading all sources takes three times as long.
  customConditions: [],
  rootDir: "/",
  tsBuildInfoFile: null
}

/**
 * Compiles files under the workspace's strict settings. Returns the compiler's errors, or an empty string on success.
 * `files` maps each file's name to its text. The files can import the same packages as the server's tests.
 */
export const typeErrors = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const parent = path.join(packageDirectory, "node_modules", ".typed")
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(path.join(parent, "run-"))
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(directory, name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    writeFileSync(path.join(directory, "package.json"), '{ "type": "module" }')
    const settings = {
      extends: path.join(packageDirectory, "../../tsconfig.base.json"),
      compilerOptions,
      include: ["."]
    }
    writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(settings))
    const child = spawn(process.execPath, [tsc, "-p", directory, "--pretty", "false"], { cwd: directory })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk
      })
    }
    await new Promise((resolve) => child.once("close", resolve))
    return output.trim()
  } finally {
    rmSync(directory, { recursive: true })
  }
}
