import { readFileSync } from "node:fs"
import path from "node:path"
import { root } from "../../scripts/packages.ts"
import { files, read } from "../architecture/Workspace.js"
import { type CallTypes, callTypesOf } from "./CallTypes.js"
import { type Declaration, declarationsOf } from "./Declarations.js"
import { errorTypesOf } from "./ErrorTypes.js"

export interface ReferencePage {
  readonly file: string
  readonly title: string
  readonly text: string
}

const header = "<!-- Made of the docstrings by tests/reference.test.ts. Do not edit. -->"

const block = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``

const declarationText = ({ code, docs, members, name }: Declaration): string =>
  [
    `### ${name}`,
    docs,
    block(code),
    ...members.map((member) =>
      [`#### ${name}.${member.name}`, member.docs, member.input === "" ? "" : block(member.input)]
        .filter((part) => part !== "")
        .join("\n\n")
    )
  ]
    .filter((part) => part !== "")
    .join("\n\n")

const moduleText = (title: string, declarations: ReadonlyArray<Declaration>): string =>
  [`## ${title}`, ...declarations.map(declarationText)].join("\n\n")

const pageText = (title: string, intro: string, modules: ReadonlyArray<string>): string =>
  `${[header, `# ${title}`, intro, ...modules].join("\n\n")}\n`

const declared = (file: string): ReadonlyArray<Declaration> => declarationsOf(file, read(file)).own

/** Folders of core that the reference covers. */
const coreRooms = [
  ...["", "merchant", "consumer", "payment", "refund", "ledger", "event", "consent", "kyc"],
  ...["idempotency", "limit", "secret", "host", "sandbox", "request"]
]

const coreSource = "packages/core/src/"

/** Returns a folder's modules, including those of its subfolders. `""` stands for the files directly in `src`. */
const coreModules = (room: string): ReadonlyArray<string> =>
  files.filter(
    (file) =>
      file.endsWith(".ts") &&
      (room === "" ? `${path.posix.dirname(file)}/` === coreSource : file.startsWith(`${coreSource}${room}/`))
  )

const corePage = (room: string): ReferencePage => {
  const modules = coreModules(room).map((file) =>
    moduleText(file.replace("packages/core/src/", "@surety/core/").replace(/\.ts$/, ""), declared(file))
  )
  const name = room === "" ? "values" : room
  const title = `@surety/core: ${name}`
  const intro = "Each module is imported by the path that stands over it. Bodies are left out."
  return { file: `core-${name}.md`, title, text: pageText(title, intro, modules) }
}

const fileOf = (importer: string, from: string): string => {
  const own = /^@surety\/(?<name>[a-z-]+)\/(?<module>.+)$/.exec(from)?.groups
  return own === undefined
    ? path.posix.join(path.posix.dirname(importer), from.replace(/\.js$/, ".ts"))
    : `packages/${own.name}/src/${own.module}.ts`
}

/** Finds the declarations of these names in a module, and in the modules from which it re-exports them. */
const declaredThrough = (file: string, names: ReadonlySet<string>): ReadonlyArray<Declaration> => {
  const { own, passedOn } = declarationsOf(file, read(file))
  const sources = [...new Set(passedOn.filter(({ name }) => names.has(name)).map(({ from }) => from))]
  return [
    ...own.filter(({ name }) => names.has(name)),
    ...sources.flatMap((from) => declaredThrough(fileOf(file, from), names))
  ]
}

/**
 * Returns the declarations of a module's exports, including re-exports. Omits re-exports from generated modules. Throws
 * if the declaration of a re-export is not found.
 */
const exportsOf = (source: string): ReadonlyArray<Declaration> => {
  const { own, passedOn: all } = declarationsOf(source, read(source))
  const passedOn = all.filter(({ from }) => !from.includes(".generated."))
  const sources = [...new Set(passedOn.map(({ from }) => from))]
  const declarations = sources.flatMap((from) => {
    const names = new Set(passedOn.filter((each) => each.from === from).map((each) => each.name))
    return declaredThrough(fileOf(source, from), names)
  })
  const missing = passedOn.filter(
    ({ name: wanted }) => !declarations.some((declaration) => declaration.name === wanted)
  )
  if (missing.length > 0) throw new Error(`${source}: no declaration of ${missing.map((each) => each.name).join(", ")}`)
  return [...own, ...declarations]
}

const bodiesLeftOut = "Bodies are left out."

const indexPage = (name: string): ReferencePage => {
  const title = `@surety/${name}`
  const modules = [moduleText(title, exportsOf(`packages/${name}/src/index.ts`))]
  return { file: `${name}.md`, title, text: pageText(title, bodiesLeftOut, modules) }
}

/**
 * Renders embed's page, including its calls. Errors are shown as interfaces, because embed's readers do not know
 * schemas.
 */
const embedPage = async (): Promise<ReferencePage> => {
  const named = files.filter((file) => /^packages\/(?:core|embed)\/src\/.+\.ts$/.test(file))
  const types = await errorTypesOf(named.filter((file) => read(file).includes("Schema.TaggedError<")))
  const readable = (declaration: Declaration): Declaration => {
    if (!declaration.code.includes("Schema.TaggedError<")) return declaration
    const code = types.get(declaration.name)
    if (code === undefined) throw new Error(`The fields of ${declaration.name} are not known.`)
    return { ...declaration, code }
  }
  const title = "@surety/embed"
  const declarations = exportsOf("packages/embed/src/index.ts").map(readable)
  const text = pageText(title, bodiesLeftOut, [moduleText(title, declarations), ...calls.map(roomText)])
  return { file: "embed.md", title, text }
}

const testingPage = (): ReferencePage => {
  const title = "@surety/embed/testing"
  const modules = [moduleText(title, exportsOf("packages/embed/src/testing.ts"))]
  return { file: "embed-testing.md", title, text: pageText(title, bodiesLeftOut, modules) }
}

/** Returns the types of the calls in embed's facade, from the compiler's declarations. */
const callTypes = (): ReadonlyArray<CallTypes> =>
  calls.flatMap((file) => {
    const built = file.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts")
    return callTypesOf(built, readFileSync(path.join(root, built), "utf8"))
  })

const callText = ({ call, errors, returns, room, takes }: CallTypes, docs: string): string =>
  [
    `#### ${room}.${call}`,
    docs,
    takes === "" ? "Takes nothing." : `Takes:\n\n${block(takes)}`,
    `Returns:\n\n${block(returns)}`,
    errors.length === 0 ? "" : `Fails with ${errors.map((error) => `\`${error}\``).join(", ")}.`
  ]
    .filter((part) => part !== "")
    .join("\n\n")

/** Renders the groups of calls in a file of the facade, with each call's input, result and errors. */
const roomText = (file: string): string => {
  const types = callTypes()
  const rooms = declared(file).filter(({ code, members }) => members.length > 0 && code.includes("run: Run"))
  return rooms
    .map(({ docs, members, name }) =>
      [
        `## ${name}`,
        docs,
        ...members.map((member) => {
          const found = types.find(({ call, room }) => room === name && call === member.name)
          if (found === undefined) throw new Error(`${file}: the types of ${name}.${member.name} were not built`)
          return callText(found, member.docs)
        })
      ].join("\n\n")
    )
    .join("\n\n")
}

const facades = files.filter((file) => /^packages\/embed\/src\/facade\/[a-zA-Z]+\.ts$/.test(file))

const calls = facades.filter((file) =>
  declared(file).some(({ code, members }) => members.length > 0 && code.includes("run: Run"))
)

/** Renders every page, beginning with the list of pages. */
export const referencePages = async (): Promise<ReadonlyArray<ReferencePage>> => {
  const pages = [
    await embedPage(),
    testingPage(),
    indexPage("client"),
    indexPage("verifier"),
    indexPage("consent-kit"),
    ...coreRooms.filter((room) => coreModules(room).length > 0).map(corePage)
  ]
  const list = pages.map(({ file, title }) => `- [${title}](${file})`).join("\n")
  const intro =
    "What the packages export, with their docstrings: for reading beside [the guide](../embedding/README.md). The HTTP\n" +
    "interface is described by [openapi.json](../openapi.json)."
  return [{ file: "README.md", title: "Reference", text: pageText("Reference", intro, [list]) }, ...pages]
}
