import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, type Scope } from "effect"
import { root } from "./Fence.js"

/** A host's project with the workspace's packages installed. */
export interface Programs {
  readonly write: (file: string, code: string) => Effect.Effect<void>
  /** Output of the compiler for all programs written so far. Empty if they compile. */
  readonly typeErrors: Effect.Effect<string>
  /** Runs a program with the built packages. Returns its stdout and stderr, even if it fails. */
  readonly run: (file: string) => Effect.Effect<string>
}

const tsc = path.join(root, "node_modules/typescript/bin/tsc")

/**
 * Compiler settings as strict as the workspace's. They use the built types, since reading all sources takes three times
 * as long.
 */
const tsconfig = JSON.stringify({
  extends: path.join(root, "tsconfig.base.json"),
  compilerOptions: {
    types: ["node"],
    customConditions: [],
    composite: false,
    declaration: false,
    declarationMap: false,
    emitDeclarationOnly: false,
    noEmit: true,
    rootDir: "/"
  },
  include: ["*.mts"]
})

const node = (directory: string, args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise((resolve) =>
        execFile(process.execPath, args, { cwd: directory }, (_, stdout, stderr) => resolve(stdout + stderr))
      )
  )

export const makePrograms: Effect.Effect<Programs, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-host-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  ),
  (directory) => {
    symlinkSync(path.join(root, "packages/server/node_modules"), path.join(directory, "node_modules"))
    writeFileSync(path.join(directory, "tsconfig.json"), tsconfig)
    return {
      write: (file, code) => Effect.sync(() => writeFileSync(path.join(directory, file), code)),
      typeErrors: node(directory, [tsc, "-p", "."]),
      run: (file) => node(directory, [file])
    }
  }
)
