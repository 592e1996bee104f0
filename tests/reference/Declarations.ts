import { parseSync } from "vite"

/**
 * An export of a module as the reference shows it: functions and classes without bodies, some constants without
 * values.
 */
export interface Declaration {
  readonly name: string
  /** The docstring as Markdown, or an empty string if the export has none. */
  readonly docs: string
  readonly code: string
  /**
   * Properties of the object literal that an exported arrow function returns, such as a group of calls. Empty for other
   * exports.
   */
  readonly members: ReadonlyArray<Member>
}

export interface Member {
  readonly name: string
  readonly docs: string
  /** Source text of the input's schema, or an empty string if the member is not made by `call(run, schema, …)`. */
  readonly input: string
}

export interface Reexport {
  readonly name: string
  readonly from: string
}

export interface Declarations {
  readonly own: ReadonlyArray<Declaration>
  readonly passedOn: ReadonlyArray<Reexport>
}

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value

export const nodes = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])
export const node = (value: unknown): Node | undefined => (isNode(value) ? value : undefined)
const nameOf = (value: unknown): string => {
  const named = node(value)
  return String(named?.name ?? named?.value ?? "")
}

/** Returns a docstring as Markdown: without its stars, and with its examples as code blocks. */
const markdownOf = (comment: string): string => {
  const text = comment
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()
  const [prose = "", ...examples] = text.split(/^@example\s*\n/m)
  return [prose.trim(), ...examples.map((example) => `\`\`\`ts\n${example.trim()}\n\`\`\``)].join("\n\n").trim()
}

const longestSchema = 24

/** Returns a module's exported declarations and named re-exports. Throws if the module is not valid TypeScript. */
export const declarationsOf = (file: string, source: string): Declarations => {
  const { comments, errors, program } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  /** Returns a node's source text. Removes the indentation of its last line from every line. */
  const textOf = ({ end, start }: Node): string => {
    const text = source.slice(start, end)
    const indent = /\n( *)[^\n]*$/.exec(text)?.[1] ?? ""
    return text.replaceAll(`\n${indent}`, "\n")
  }

  const docsOf = (start: number): string => {
    const before = comments.filter(({ end }) => end <= start && source.slice(end, start).trim() === "").at(-1)
    return before?.type === "Block" && before.value.startsWith("*") ? markdownOf(before.value.slice(1)) : ""
  }

  /** Returns the source text up to the body, or up to `end` if `body` is missing. Drops a trailing `=>`, `=` or `{`. */
  const head = (from: number, body: Node | undefined, end: number): string =>
    source.slice(from, body?.start ?? end).replace(/\s*(=>|=|\{)?\s*$/, "")

  const membersOf = (made: Node | undefined): ReadonlyArray<Member> => {
    const body = made?.type === "ParenthesizedExpression" ? node(made.expression) : made
    return body?.type !== "ObjectExpression"
      ? []
      : nodes(body.properties).map((property) => {
          const value = node(property.value)
          const isCall = value?.type === "CallExpression" && nameOf(value.callee) === "call"
          const input = isCall ? nodes(value.arguments)[1] : undefined
          return {
            name: nameOf(property.key),
            docs: docsOf(property.start),
            input: input === undefined ? "" : textOf(input)
          }
        })
  }

  const constant = (from: number, declarator: Node): Pick<Declaration, "code" | "members"> => {
    const id = node(declarator.id)
    const value = node(declarator.init)
    const name = `export const ${nameOf(id)}`
    const annotation = node(id?.typeAnnotation)
    if (annotation !== undefined) return { code: `${name}${textOf(annotation)}`, members: [] }
    if (value?.type === "ArrowFunctionExpression") {
      return { code: head(from, node(value.body), value.end), members: membersOf(node(value.body)) }
    }
    const generator = value?.type === "CallExpression" ? nodes(value.arguments)[0] : undefined
    if (generator?.type === "FunctionExpression")
      return { code: head(from, node(generator.body), generator.end), members: [] }
    const written = source.slice(from, declarator.end)
    const isShort = written.split("\n").length <= longestSchema && !written.includes("=>")
    return { code: isShort ? written : `${name} = …`, members: [] }
  }

  const declared = (exported: Node, declaration: Node): ReadonlyArray<Declaration> => {
    const docs = docsOf(exported.start)
    if (declaration.type === "VariableDeclaration") {
      return nodes(declaration.declarations).map((declarator) => ({
        name: nameOf(declarator.id),
        docs,
        ...constant(exported.start, declarator)
      }))
    }
    const isType = /^TS(Interface|TypeAlias)Declaration$/.test(declaration.type)
    const code = isType ? textOf(exported) : head(exported.start, node(declaration.body), exported.end)
    return [{ name: nameOf(declaration.id), docs, code, members: [] }]
  }

  const exported = nodes(program.body).filter(({ type }) => type === "ExportNamedDeclaration")
  return {
    own: exported.flatMap((each) => {
      const declaration = node(each.declaration)
      return declaration === undefined ? [] : declared(each, declaration)
    }),
    passedOn: exported.flatMap((each) =>
      isNode(each.source)
        ? nodes(each.specifiers).map((specifier) => ({ name: nameOf(specifier.local), from: nameOf(each.source) }))
        : []
    )
  }
}
