import path from "node:path"
import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"

/** Stryker starts Vitest in its own copy of the workspace, in which it mutated the sources. */
const copy = process.cwd()

const conditions = ["source", ...defaultServerConditions]

/** The tests of the scope that is being mutated, as globs; `scripts/mutate.ts` sets it. */
const tests: { include: Array<string>; exclude: Array<string> } = JSON.parse(process.env.MUTATION_TESTS ?? "{}")

export default defineConfig({
  resolve: {
    conditions,
    // `node_modules` leads to the originals, in which nothing is mutated.
    alias: [
      { find: /^@surety\/(verifier|client)$/, replacement: path.join(copy, "packages/$1/src/index.ts") },
      { find: /^@surety\/([a-z-]+)\/(.+)$/, replacement: path.join(copy, "packages/$1/src/$2.ts") }
    ]
  },
  ssr: { resolve: { conditions } },
  // A change that makes a test hang costs this long, plus the restart of a worker that Stryker ends.
  test: {
    ...tests,
    setupFiles: process.env.MUTATION_EVERY_TEST === "on" ? [path.join(copy, "scripts/mutation/everyTest.ts")] : [],
    isolate: false,
    testTimeout: 12_000,
    hookTimeout: 12_000
  }
})
