import { availableParallelism } from "node:os"
import path from "node:path"
import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./scripts/LongestFirst.ts"

/**
 * The workspace's packages name their sources under `source`, so that tests need no build. Node knows no `module`, under
 * which OpenTelemetry has files for bundlers only.
 */
const conditions = ["source", ...defaultServerConditions.filter((condition) => condition !== "module")]

/** Compiled code of the workers and of every process they start. */
const compileCache = path.join(import.meta.dirname, "node_modules", ".cache", "compiled")

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One project for all packages: Vitest ends a worker before a file of another project, and a new one loads everything again.
    include: ["{packages,examples}/*/test/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["packages/testing/src/vitest/globalSetup.ts", "scripts/reportLeftOut.ts"],
    sequence: { sequencer: LongestFirst },
    // A worker keeps its modules from file to file: evaluating them again costs more than most files' tests.
    isolate: false,
    fsModuleCache: true,
    env: { NODE_COMPILE_CACHE: compileCache },
    // Two more than there are processors: half of the files' time is spent waiting, mostly for leases and timeouts.
    maxWorkers: availableParallelism() + 2,
    // Only patience: on a busy machine, work that takes a second may take half a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
