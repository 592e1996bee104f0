import { existsSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import path from "node:path"
import { defaultServerConditions } from "vite"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./scripts/LongestFirst.ts"

/** Every directory that may hold a `test` directory of its own is a project: the run's output names it. */
const directories = ["packages", "examples"].flatMap((parent) =>
  readdirSync(new URL(parent, import.meta.url)).map((name) => ({ name, directory: `${parent}/${name}` }))
)

const projects = [
  ...directories
    .filter(({ directory }) => existsSync(new URL(`${directory}/test`, import.meta.url)))
    .map(({ name, directory }) => ({ name, include: [`${directory}/test/**/*.test.ts`] })),
  { name: "workspace", include: ["tests/**/*.test.ts"] }
]

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
    globalSetup: ["packages/testing/src/vitest/globalSetup.ts", "scripts/reportLeftOut.ts"],
    sequence: { sequencer: LongestFirst },
    // A worker keeps its modules from file to file: evaluating them again costs more than most files' tests.
    isolate: false,
    fsModuleCache: true,
    env: { NODE_COMPILE_CACHE: compileCache },
    // Two more than there are processors: half of the files' time goes by in waiting, for leases and timeouts most of all.
    maxWorkers: availableParallelism() + 2,
    // Patience alone: where the machine is busy, what takes a second may take half a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: projects.map(({ name, include }) => ({ extends: true, test: { name, include } }))
  }
})
