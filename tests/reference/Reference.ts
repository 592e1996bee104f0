import path from "node:path"
import { files, read } from "../architecture/Workspace.js"
import { type Declaration, declarationsOf } from "./Declarations.js"

/** A page of the reference, by its file's name. */
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

/** Modules of the core that only other modules of it are meant to use, and adapters whose ports say all. */
const coreRooms = [
  ...["", "merchant", "consumer", "payment", "refund", "ledger", "event", "consent", "kyc"],
  ...["idempotency", "limit", "secret", "host", "sandbox", "request"]
]

const coreSource = "packages/core/src/"

/** A room's modules, those of its smaller rooms too. */
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

/** What a package's index passes on, each as its module declares it. */
const indexPage = (name: string, more: ReadonlyArray<string>): ReferencePage => {
  const source = `packages/${name}/src/index.ts`
  const passedOn = declarationsOf(source, read(source)).passedOn.filter(({ from }) => !from.includes(".generated."))
  const sources = [...new Set(passedOn.map(({ from }) => from))]
  const declarations = sources.flatMap((from) => {
    const names = new Set(passedOn.filter((each) => each.from === from).map((each) => each.name))
    const file = path.posix.join(path.posix.dirname(source), from.replace(/\.js$/, ".ts"))
    return declared(file).filter((declaration) => names.has(declaration.name))
  })
  const missing = passedOn.filter(
    ({ name: wanted }) => !declarations.some((declaration) => declaration.name === wanted)
  )
  if (missing.length > 0) throw new Error(`${source}: no declaration of ${missing.map((each) => each.name).join(", ")}`)
  const title = `@surety/${name}`
  const modules = [
    moduleText(title, declarations),
    ...more.map((file) => moduleText(path.posix.basename(file, ".ts"), declared(file)))
  ]
  return { file: `${name}.md`, title, text: pageText(title, "Bodies are left out.", modules) }
}

const facades = files.filter((file) => /^packages\/embed\/src\/facade\/[a-zA-Z]+\.ts$/.test(file))

const calls = facades.filter((file) => declared(file).some(({ members }) => members.length > 0))

/** Every page, the list of them first. */
export const referencePages = (): ReadonlyArray<ReferencePage> => {
  const pages = [
    indexPage("embed", calls),
    indexPage("client", []),
    indexPage("verifier", []),
    ...coreRooms.filter((room) => coreModules(room).length > 0).map(corePage)
  ]
  const list = pages.map(({ file, title }) => `- [${title}](${file})`).join("\n")
  const intro =
    "What the packages export, with their docstrings: for reading beside [the guide](../embedding/README.md). The HTTP\n" +
    "interface is described by [openapi.json](../openapi.json)."
  return [{ file: "README.md", title: "Reference", text: pageText("Reference", intro, [list]) }, ...pages]
}
