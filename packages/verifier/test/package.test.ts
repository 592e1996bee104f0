import { execFile } from "node:child_process"
import { readFile, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tsc } from "../../../tests/installed/InstalledPackage.js"
import { installInto, packageDirectory } from "./Installed.js"

const run = promisify(execFile)

const bundle = async (entry: string, minify: boolean) => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: packageDirectory,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "neutral",
    packages: "external",
    external: ["node:*"],
    legalComments: "none",
    minify,
    metafile: true,
    write: false
  })
  const [output] = outputFiles
  return { inputs: Object.entries(metafile.inputs), code: output?.contents ?? expect.fail("nothing was bundled") }
}

describe.each(["src/index.ts", "src/testing.ts"])("%s", (entry) => {
  it("imports nothing from outside of the package's sources, not even what the runtime brings", async () => {
    const { inputs } = await bundle(entry, false)
    expect(inputs.length).toBeGreaterThan(3)
    for (const [file, { imports }] of inputs) {
      expect(file).toMatch(/^src\//u)
      expect(imports.filter(({ path, external }) => external === true || !path.startsWith("src/"))).toEqual([])
    }
  })

  it("has no way to the network and loads no code at run time", async () => {
    const code = new TextDecoder().decode((await bundle(entry, false)).code)
    expect(code).not.toMatch(
      /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import|require|eval|Function)\s*\(/u
    )
  })
})

it("the main entry has at most 5 KB, minified and compressed", async () => {
  const { code } = await bundle("src/index.ts", true)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(5 * 1024)
})

it("the manifest names nothing that a merchant would have to install along", async () => {
  const manifest = JSON.parse(await readFile(path.join(packageDirectory, "package.json"), "utf8"))
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    expect(manifest).not.toHaveProperty(kind)
  }
})

const pathsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.startsWith("./dist/") ? [value] : []
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(pathsIn) : []
}

describe("as it is installed", () => {
  let consumer = ""

  beforeAll(async () => {
    consumer = await installInto()
  })
  afterAll(() => rm(consumer, { recursive: true, force: true }))

  const program = `
const exercise = async ({ verify, createHandler }, { sign, newSecret, samplePayloads }) => {
  const secrets = newSecret()
  const signed = await sign({ secrets, topic: "refund.completed", payload: samplePayloads["refund.completed"] })
  const answers = []
  const handler = createHandler({ secrets, onEvent: (event) => { answers.push(event.payload.amount) } })
  const { outcome } = await handler.receive(signed)
  console.log((await verify({ ...signed, secrets })).ok, outcome, ...answers)
}
`

  it.each([
    ["import", "esm.mjs", 'exercise(await import("@surety/verifier"), await import("@surety/verifier/testing"))'],
    ["require", "commonJs.cjs", 'exercise(require("@surety/verifier"), require("@surety/verifier/testing"))']
  ])("it works by %s", async (_how, file, call) => {
    await writeFile(path.join(consumer, file), `${program}\n${call}\n`)
    const { stdout } = await run(process.execPath, [path.join(consumer, file)])
    expect(stdout.trim()).toBe("true processed 2500.5")
  })

  it("every file that the manifest names is there, also for compilers that do not read exports", async () => {
    const manifest = JSON.parse(await readFile(path.join(packageDirectory, "package.json"), "utf8"))
    for (const kind of [manifest.main, manifest.types, manifest.exports, manifest.typesVersions]) {
      const paths = pathsIn(kind)
      expect(paths.length).toBeGreaterThan(0)
      for (const file of paths) expect((await stat(path.join(packageDirectory, file))).size).toBeGreaterThan(0)
    }
  })

  it("its insides cannot be imported", async () => {
    const file = path.join(consumer, "inside.mjs")
    await writeFile(file, 'await import("@surety/verifier/dist/index.js")\n')
    await expect(run(process.execPath, [file])).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED")
  })

  it.each(["node16", "nodenext"])("its types are right under %s, for ES modules and for CommonJS", async (module) => {
    const typed = `import { verify, type WebhookEvent } from "@surety/verifier"
import { sign, samplePayloads } from "@surety/verifier/testing"
export const check = async (secrets: string): Promise<WebhookEvent | string> => {
  const signed = await sign({ secrets, topic: "refund.completed", payload: samplePayloads["refund.completed"] })
  const result = await verify({ ...signed, secrets })
  if (!result.ok) return result.reason
  if (result.event.known && result.event.topic === "refund.completed") result.event.payload.amount.toFixed(2)
  // @ts-expect-error: a reason is given only without an event
  result.reason
  return result.event
}
`
    for (const file of ["typed.mts", "typed.cts"]) await writeFile(path.join(consumer, file), typed)
    const files = ["typed.mts", "typed.cts"].map((file) => path.join(consumer, file))
    const flags = [
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "",
      "--module",
      module
    ]
    const { stdout } = await run(process.execPath, [tsc, ...flags, "--preserveSymlinks", ...files], {
      cwd: consumer
    }).catch((failure: { readonly stdout: string }) => failure)
    expect(stdout).toBe("")
  })
})
