import { availableParallelism } from "node:os"
import path from "node:path"
import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./scripts/LongestFirst.ts"

/**
 * The workspace's packages export their sources under `source`, so that most tests need no build. `module` is excluded
 * as in Node, because OpenTelemetry uses it for files that work only in bundlers.
 */
const conditions = ["source", ...defaultServerConditions.filter((condition) => condition !== "module")]

/** Cache of compiled code for the workers and for the processes that inherit their environment. */
const compileCache = path.join(import.meta.dirname, "node_modules", ".cache", "compiled")

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One project for all packages. Between files of different projects, Vitest restarts the worker, which reloads
    // everything.
    include: ["{packages,examples}/*/test/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["packages/testing/src/vitest/globalSetup.ts", "scripts/reportLeftOut.ts"],
    sequence: { sequencer: LongestFirst },
    // Workers keep their modules between files, since evaluating them again costs more than most files' tests.
    isolate: false,
    fsModuleCache: true,
    env: { NODE_COMPILE_CACHE: compileCache },
    // Two more than the number of processors, because half of the files' time is spent waiting, mostly for leases and
    // timeouts.
    maxWorkers: availableParallelism() + 2,
    // Generous because work that takes a second may take half a minute on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
