import { execFile, spawnSync } from "node:child_process"
import path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export interface Printed {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export type Language = "python" | "php" | "go"

const tools: Readonly<Record<Language, readonly [command: string, probe: ReadonlyArray<string>, packages: string]>> = {
  python: ["python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"], "python3"],
  php: ["php", ["-r", "exit(extension_loaded('curl') ? 0 : 1);"], "php-cli php-curl"],
  go: ["go", ["version"], "golang-go"]
}

/** Throws if this machine lacks a language's toolchain. The error says what to install. */
export const requireTools = (language: Language): void => {
  const [command, probe, packages] = tools[language]
  if (spawnSync(command, probe).status === 0) return
  throw new Error(
    `There is no ${command} for sdks/${language} on this machine: install it (Debian: apt-get install ${packages}), ` +
      "or leave the languages out with SKIP_SDKS=1."
  )
}

/** True if a linter is installed. Linters are optional, because CI does not install them. */
export const hasTool = (command: string): boolean => spawnSync(command, ["--version"]).status === 0

/**
 * Runs a command in a directory, which is absolute or relative to the workspace's root. Resolves even if the command
 * fails. Python writes no bytecode next to the sources, and Go downloads nothing.
 */
export const run = (
  directory: string,
  command: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Printed> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      GOCACHE: process.env.GOCACHE ?? path.join(root, "node_modules/.cache/go"),
      GOFLAGS: "-mod=mod",
      GOPROXY: "off",
      GOTOOLCHAIN: "local",
      PYTHONDONTWRITEBYTECODE: "1",
      ...environment
    }
    execFile(command, args, { cwd: path.resolve(root, directory), env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1
      resolve({ status, stdout, stderr })
    })
  })
