import path from "node:path"
import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"

/** Stryker runs Vitest in its own copy of the workspace, which contains the mutated sources. */
const copy = process.cwd()

const conditions = ["source", ...defaultServerConditions]

/** Globs of the current scope's tests, set by `scripts/mutate.ts`. */
const tests: { include: Array<string>; exclude: Array<string> } = JSON.parse(process.env.MUTATION_TESTS ?? "{}")

export default defineConfig({
  resolve: {
    conditions,
    // Resolves imports of workspace packages to the mutated sources, since `node_modules` links to the originals.
    alias: [
      { find: /^@surety\/(verifier|client)$/, replacement: path.join(copy, "packages/$1/src/index.ts") },
      { find: /^@surety\/([a-z-]+)\/(.+)$/, replacement: path.join(copy, "packages/$1/src/$2.ts") }
    ]
  },
  ssr: { resolve: { conditions } },
  // `testTimeout` and `hookTimeout` are below Stryker's `timeoutMS`, so a hanging test fails before Stryker kills its
  // worker. A killed worker would have to restart.
  test: {
    ...tests,
    setupFiles: process.env.MUTATION_EVERY_TEST === "on" ? [path.join(copy, "scripts/mutation/everyTest.ts")] : [],
    isolate: false,
    testTimeout: 12_000,
    hookTimeout: 12_000
  }
})
