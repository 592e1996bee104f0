import { createRequire } from "node:module"
import path from "node:path"

/** A JavaScript runtime that merchants use. */
export interface InstalledRuntime {
  readonly name: string
  readonly executable: string
  /** Arguments before the program's file. */
  readonly args: ReadonlyArray<string>
  /** Matches the beginning of the output of `--version`. */
  readonly version: RegExp
  /** True if the runtime's `fetch` repeats a request, even a POST, when a reused connection breaks. */
  readonly resends: boolean
}

/** Returns the path of a file in the package `name`, which is a dependency of `bringer`. */
const broughtBy = (require: NodeJS.Require, bringer: string, name: string, file: string): string =>
  path.join(
    path.dirname(createRequire(require.resolve(`${bringer}/package.json`)).resolve(`${name}/package.json`)),
    file
  )

const bunPlatform = (): string => `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`
const denoPlatform = (): string => `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`

/**
 * Returns Bun and Deno as installed for the importing module's package. Each platform's binary is in a separate
 * package.
 */
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
      // Grants only the permissions that a merchant's server needs: network access and reading files.
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
