import { execFile } from "node:child_process"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { tsc } from "../../../../tests/installed/InstalledPackage.js"
import { installInto } from "../Installed.js"
import { programs, surroundings } from "./programs.js"

const run = promisify(execFile)

const frameworks = ["express", "fastify", "hono", "@hono/node-server", "pg"]
const types = ["@types/node", "@types/express", "@types/pg", "@types/aws-lambda"]

/** A merchant's project that contains the README's programs. */
export interface Merchant {
  /** Loads a fresh copy of a program, bundled with the built package. */
  readonly load: (program: string) => Promise<Record<string, unknown>>
  /** Bundles a program into one ES module, for another runtime. */
  readonly bundle: (program: string) => Promise<string>
  /** Returns the compiler's errors in the programs, under strict settings. */
  readonly typeErrors: () => Promise<string>
  readonly remove: () => Promise<void>
}

export const makeMerchant = async (): Promise<Merchant> => {
  const directory = await installInto([...frameworks, ...types])
  for (const [file, code] of Object.entries({ ...programs(), "surroundings.d.ts": surroundings })) {
    await mkdir(path.dirname(path.join(directory, file)), { recursive: true })
    await writeFile(path.join(directory, file), code)
  }
  await writeNestStub(directory)
  const require = createRequire(path.join(directory, "package.json"))
  const bundled = async (program: string, format: "cjs" | "esm"): Promise<string> => {
    const { outputFiles } = await build({
      entryPoints: [path.join(directory, program)],
      absWorkingDir: directory,
      bundle: true,
      format,
      logLevel: "error",
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
      platform: format === "cjs" ? "node" : "neutral",
      external: [...frameworks, "@nestjs/common", "cloudflare:workers"],
      write: false
    })
    return outputFiles[0]?.text ?? ""
  }
  return {
    load: async (program) => {
      const file = path.join(directory, `${program.replaceAll("/", "-")}.${crypto.randomUUID()}.cjs`)
      await writeFile(file, await bundled(program, "cjs"))
      return require(file)
    },
    bundle: (program) => bundled(program, "esm"),
    typeErrors: async () => {
      const settings = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit"]
      const target = ["--target", "es2023", "--module", "esnext", "--moduleResolution", "bundler", "--types", "node"]
      const files = [...Object.keys(programs()), "surroundings.d.ts"]
      const flags = [...settings, ...target, "--skipLibCheck", "--experimentalDecorators", ...files]
      const { stdout } = await run(process.execPath, [tsc, ...flags], { cwd: directory }).catch(
        (failure: { readonly stdout: string }) => failure
      )
      return stdout
    },
    remove: () => rm(directory, { recursive: true, force: true })
  }
}

/**
 * Writes a stand-in for Nest, because Nest would be the largest dependency of these tests. Nest's decorators only
 * record metadata, so the stand-in's decorators do nothing.
 */
const writeNestStub = async (directory: string): Promise<void> => {
  const stub = path.join(directory, "node_modules/@nestjs/common")
  await mkdir(stub, { recursive: true })
  const names = ["Controller", "Post", "Req", "Res"]
  await writeFile(path.join(stub, "index.js"), names.map((name) => `exports.${name} = () => () => {}\n`).join(""))
}
