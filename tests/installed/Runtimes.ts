import { createRequire } from "node:module"
import path from "node:path"

/** A JavaScript runtime, as merchants run it. */
export interface InstalledRuntime {
  readonly name: string
  readonly executable: string
  /** What comes before the program's file. */
  readonly args: ReadonlyArray<string>
  /** What `--version` begins with. */
  readonly version: RegExp
  /** Whether its `fetch` repeats a request on its own if a kept connection breaks, a POST too. */
  readonly resends: boolean
}

/** A file of a package that another package brings along. */
const broughtBy = (require: NodeJS.Require, bringer: string, name: string, file: string): string =>
  path.join(
    path.dirname(createRequire(require.resolve(`${bringer}/package.json`)).resolve(`${name}/package.json`)),
    file
  )

const bunPlatform = (): string => `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`
const denoPlatform = (): string => `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`

/** The runtimes that a package's devDependencies bring, but for Node's own: each binary comes in a package per platform. */
export const otherRuntimes = (importer: string): ReadonlyArray<InstalledRuntime> => {
  const require = createRequire(importer)
  return [
    {
      name: "Bun",
      executable: broughtBy(require, "bun", `@oven/bun-${bunPlatform()}`, "bin/bun"),
      args: [],
      version: /^1\./u,
      resends: false
    },
    {
      name: "Deno",
      executable: broughtBy(require, "deno", `@deno/${denoPlatform()}`, "deno"),
      // No more than a merchant's server has: the network, and its own files.
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--cached-only",
        "--node-modules-dir=manual",
        "--allow-net",
        "--allow-read"
      ],
      version: /^deno 2\./u,
      resends: true
    }
  ]
}
