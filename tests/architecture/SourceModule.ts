import { parseSync } from "vite"

export interface Mention {
  readonly name: string
  readonly line: number
}

export interface SourceModule {
  /** Relative to the workspace's root, with `/`. */
  readonly path: string
  /**
   * Specifiers of all imports and re-exports, including types and dynamic imports. `(computed)` if one is not a
   * literal.
   */
  readonly imports: ReadonlyArray<Mention>
  /**
   * Identifiers used or declared as values but not imported, with the member accessed on them, if any: `Date`,
   * `process.env`.
   */
  readonly references: ReadonlyArray<Mention>
  readonly defaultExports: ReadonlyArray<Mention>
  readonly lines: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value

const childrenOf = (value: unknown): ReadonlyArray<Node> =>
  Array.isArray(value) ? value.flatMap(childrenOf) : isNode(value) ? [value] : []

/** Syntax tree fields in which an identifier is not a reference to a value. */
const namingKeys = new Set(["imported", "exported", "typeName", "exprName", "label", "meta"])

const isName = (parent: Node, key: string): boolean =>
  namingKeys.has(key) || ((key === "key" || key === "property") && parent.computed !== true)

const literal = (node: Node): string | undefined => (typeof node.value === "string" ? node.value : undefined)

const text = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  return node.type === "Identifier" && typeof node.name === "string" ? node.name : literal(node)
}

/** Returns the node with the specifier of an import, an export or a `require`. */
const specifierOf = (node: Node): unknown => {
  if (node.type === "TSExternalModuleReference") return node.expression
  if (node.type === "CallExpression" && text(node.callee) === "require") return childrenOf(node.arguments)[0]
  if (/^(Import|Export\w+)(Declaration|Expression)$|^TSImportType$/.test(node.type)) return node.source
  return undefined
}

/** Parses a TypeScript file. Throws if it has a syntax error. */
export const parse = (path: string, source: string): SourceModule => {
  const { program, errors } = parseSync(path, source)
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`)
  const imports: Array<Mention> = []
  const references: Array<Mention> = []
  const defaultExports: Array<Mention> = []
  const imported = new Set<string>()
  const mention = (name: string, { start }: Node): Mention => ({
    name,
    line: source.slice(0, start).split("\n").length
  })

  const reference = (node: Node): boolean => {
    if (node.type === "Identifier") references.push(mention(text(node) ?? "", node))
    else if (node.type === "MemberExpression" && isNode(node.object) && node.object.type === "Identifier") {
      const property = isNode(node.property) && node.computed === true ? literal(node.property) : text(node.property)
      references.push(mention(`${text(node.object)}.${property ?? "(computed)"}`, node))
      if (node.computed === true) for (const child of childrenOf(node.property)) visit(child)
    } else return false
    return true
  }
  const visit = (node: Node): void => {
    const specifier = specifierOf(node)
    if (isNode(specifier)) imports.push(mention(literal(specifier) ?? "(computed)", node))
    if (node.type === "ExportDefaultDeclaration" || text(node.exported) === "default")
      defaultExports.push(mention("default", node))
    if (/^Import\w*Specifier$/.test(node.type)) imported.add(text(node.local) ?? "")
    else if (!reference(node)) {
      for (const [key, value] of Object.entries(node)) {
        for (const child of childrenOf(value)) if (child.type !== "Identifier" || !isName(node, key)) visit(child)
      }
      return
    }
    for (const child of childrenOf(node.typeAnnotation)) visit(child)
  }
  visit({ ...program, type: "Program", start: 0 })
  return {
    path,
    imports,
    references: references.filter(({ name }) => !imported.has(name.split(".")[0] ?? "")),
    defaultExports,
    lines: source.split("\n").length - (source.endsWith("\n") ? 1 : 0)
  }
}
