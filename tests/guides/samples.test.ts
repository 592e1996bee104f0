import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isLeftOut } from "../../packages/testing/src/machine/LeftOut.ts"
import {
  baseUrlMark,
  type Language,
  type Sample,
  samplesOfBlock,
  samplesOfOperation
} from "../../scripts/guides/samples/samples.ts"
import { requireTools, root, run } from "../sdks/Toolchain.ts"
import { startRecorder } from "./Recorder.ts"

/** Samples of one code block or API operation, which must send the same requests in every language. */
interface Group {
  readonly id: string
  readonly place: string
  readonly samples: ReadonlyArray<Sample>
}

const pageGroups = (): ReadonlyArray<Omit<Group, "id">> =>
  readdirSync(path.join(root, "docs/merchants"))
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, "docs/merchants", file), "utf8")
      return [...text.matchAll(/^```sh run\n(?<code>.*?)^```/gmsu)].map((match) => ({
        place: `${file}:${text.slice(0, match.index).split("\n").length}`,
        samples: samplesOfBlock(match.groups?.code ?? "")
      }))
    })

type Operations = Readonly<Record<string, Readonly<Record<string, Parameters<typeof samplesOfOperation>[2]>>>>

const operationGroups = (): ReadonlyArray<Omit<Group, "id">> => {
  const { paths }: { readonly paths: Operations } = JSON.parse(
    readFileSync(path.join(root, "docs/openapi.json"), "utf8")
  )
  return Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([verb, operation]) => ({
      place: operation.operationId,
      samples: samplesOfOperation(verb.toUpperCase(), route, operation)
    }))
  )
}

const groups: ReadonlyArray<Group> = [...pageGroups(), ...operationGroups()]
  .filter(({ samples }) => samples.length > 1)
  .map((group, index) => ({ ...group, id: String(index) }))

const codeOf = ({ samples }: Group, language: Language): string =>
  samples.find((sample) => sample.language === language)?.code ?? ""

/** Variables used in the samples, each with a recognisable value. */
const variables = new Map(
  groups.flatMap((group) =>
    [...codeOf(group, "curl").matchAll(/\$(?<name>[A-Z_]+)/gu)].map(
      ({ groups: named }) => [named?.name ?? "", `the-${named?.name}`] as const
    )
  )
)
const environment = { ...Object.fromEntries(variables), KEY: `sk_test_${"a".repeat(43)}000000` }

let recorder: Awaited<ReturnType<typeof startRecorder>>
let directory: string

const written = (file: string, text: string): string => {
  const target = path.join(directory, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
  return target
}

/** Returns the sample as a reader would copy it from a server at the recorder's url. */
const copied = (group: Group, language: Language): string =>
  codeOf(group, language).replaceAll(baseUrlMark, recorder.urlOf(`${language}-${group.id}`))

const succeeded = async (
  command: string,
  args: ReadonlyArray<string>,
  extra: Readonly<Record<string, string>> = {}
) => {
  const { status, stderr, stdout } = await run(directory, command, args, { ...environment, ...extra })
  expect(status, stdout.slice(-2000) + stderr.slice(-4000)).toBe(0)
  return stdout
}

const compareWithCurl = (language: Language): void => {
  for (const group of groups) {
    const sent = recorder.sentBy(`curl-${group.id}`)
    expect(sent.length, `curl of ${group.place}`).toBeGreaterThan(0)
    expect(recorder.sentBy(`${language}-${group.id}`), `${language} of ${group.place}`).toEqual(sent)
    for (const { authorization } of sent) expect(authorization).toBe(`Bearer ${environment.KEY}`)
  }
}

describe.skipIf(isLeftOut(process.env, "SKIP_SDKS"))("The samples, run as they are copied", () => {
  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "surety-samples-"))
    recorder = await startRecorder()
    const field = `field() { node -p "JSON.parse(fs.readFileSync('answer.json'))['$1']"; }`
    // Removes the first lines of a block if they read values from the previous block's response. Here, as in the other
    // languages, these values come from the environment.
    const alone = (code: string): string => code.replace(/^(?:[A-Z_]+=\$\(field \w+\)\n)+/u, "")
    const blocks = groups.map(
      (group) => `(\nBASE=${recorder.urlOf(`curl-${group.id}`)}\n${alone(copied(group, "curl"))})`
    )
    const script = written("all.sh", `set -euo pipefail\n${field}\n${blocks.join("\n")}\n`)
    await succeeded("bash", [script])
  })

  afterAll(() => {
    recorder.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it("are those of every operation of merchants, and of most commands of the pages", () => {
    const operations = groups.filter(({ place }) => !place.includes(".md")).length
    expect(operations).toBeGreaterThanOrEqual(30)
    expect(groups.length - operations).toBeGreaterThanOrEqual(25)
    for (const { place, samples } of groups) {
      expect(
        samples.map(({ language }) => language),
        place
      ).toEqual(["curl", "typescript", "python", "php", "go"])
    }
  })

  it("in TypeScript compile, and send what curl sends", async () => {
    const packages = path.join(directory, "node_modules/@surety")
    mkdirSync(packages, { recursive: true })
    symlinkSync(path.join(root, "packages/client"), path.join(packages, "client"))
    mkdirSync(path.join(directory, "node_modules/@types"))
    symlinkSync(path.join(root, "node_modules/@types/node"), path.join(directory, "node_modules/@types/node"))
    const files = groups.map((group) => written(`ts/s${group.id}.mts`, copied(group, "typescript")))
    const strict = [
      "--strict",
      "--noUncheckedIndexedAccess",
      "--exactOptionalPropertyTypes",
      "--noEmit",
      "--skipLibCheck"
    ]
    const target = ["--target", "es2024", "--module", "nodenext", "--types", "node"]
    const tsc = path.join(root, "node_modules/typescript/bin/tsc")
    await succeeded(process.execPath, [tsc, ...strict, ...target, ...files])
    const all = written("ts/all.mts", files.map((file) => `await import(${JSON.stringify(file)})\n`).join(""))
    await succeeded(process.execPath, [all])
    compareWithCurl("typescript")
  })

  it("in Python send what curl sends", async () => {
    requireTools("python")
    const files = groups.map((group) => written(`python/s${group.id}.py`, copied(group, "python")))
    const all = written(
      "python/all.py",
      `import runpy\nfor file in ${JSON.stringify(files)}:\n    runpy.run_path(file)\n`
    )
    await succeeded("python3", [all], { PYTHONPATH: path.join(root, "sdks/python/src") })
    compareWithCurl("python")
  })

  it("in PHP send what curl sends", async () => {
    requireTools("php")
    written("vendor/autoload.php", `<?php\nrequire_once '${path.join(root, "sdks/php/src/autoload.php")}';\n`)
    const files = groups.map((group) => written(`php/s${group.id}.php`, copied(group, "php")))
    const all = written(
      "php/all.php",
      `<?php\n${files.map((file) => `(function () { require '${file}'; })();\n`).join("")}`
    )
    await succeeded("php", ["-d", `include_path=${directory}`, all])
    compareWithCurl("php")
  })

  it("in Go are formatted and send what curl sends", async () => {
    requireTools("go")
    const module = `module samples\n\ngo 1.19\n\nrequire surety.example/surety-go v0.0.0\n\nreplace surety.example/surety-go => ${path.join(root, "sdks/go")}\n`
    written("go/go.mod", module)
    const files = groups.map((group) => written(`copied/s${group.id}.go`, copied(group, "go")))
    expect(await succeeded("gofmt", ["-l", ...files])).toBe("")
    // Compiles all files into one program, so each `main` gets a separate name.
    for (const group of groups) {
      written(`go/s${group.id}.go`, copied(group, "go").replace("func main()", `func sample${group.id}()`))
    }
    written("go/main.go", `package main\n\nfunc main() {\n${groups.map(({ id }) => `\tsample${id}()\n`).join("")}}\n`)
    const { status, stderr } = await run(path.join(directory, "go"), "go", ["run", "."], environment)
    expect(status, stderr.slice(-4000)).toBe(0)
    compareWithCurl("go")
  })
})
