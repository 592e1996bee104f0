/**
 * This plugin ignores mutations of text for readers, names for tools and concurrency options. Tests check codes,
 * statuses and other results that a caller can act on. A test that repeats a message word for word only makes the
 * message harder to improve.
 */

interface Node {
  readonly type: string
  readonly kind?: unknown
  readonly name?: unknown
  readonly value?: unknown
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly key?: Node
  readonly properties?: ReadonlyArray<Node>
  readonly body?: Node | ReadonlyArray<Node>
  readonly argument?: Node
}

interface NodePath {
  readonly node: Node
  readonly parentPath: NodePath | null
  readonly listKey?: string
  readonly key: string | number | null
}

const nameOf = (node: Node | undefined): string => {
  if (node === undefined) return ""
  if (node.type === "Identifier") return String(node.name)
  if (node.type === "StringLiteral") return String(node.value)
  if (node.type === "Super") return "super"
  if (node.type === "MemberExpression") return `${nameOf(node.object)}.${nameOf(node.property)}`
  if (node.type === "CallExpression" || node.type === "NewExpression") return nameOf(node.callee)
  return ""
}

/**
 * Patterns for the names of functions whose string arguments are ignored, each with the reason for ignoring them. For
 * schema annotations, arguments of any kind are ignored.
 */
const naming: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Effect\.(fn|fnUntraced|withSpan|annotateCurrentSpan|annotateLogs|withLogSpan)$/, "the name of a span"],
  [/^Effect\.log\w*$/, "a line of the log"],
  [/^Metric\.\w+$/, "the name and description of a series"],
  [/^Schema\.(brand|TaggedErrorClass|TaggedError|ErrorClass|Class|TaggedClass|Opaque)$/, "the name of a schema"],
  [/\.(annotate|annotations|annotateKey)$/, "an annotation of a schema"],
  [/^(Context\.Service|Context\.Reference|Data\.TaggedError|Data\.TaggedClass)$/, "the name of a service or class"],
  [/^(super|Error|TypeError|RangeError|SuretyError|UsageError)$/, "an error's message"]
]

const readersFields = new Set([
  "message",
  "detail",
  "title",
  "description",
  "identifier",
  "documentation",
  "hint",
  "expected",
  "consequence"
])

const isForReaders = ({ properties, type }: Node): boolean =>
  type === "ObjectExpression" &&
  properties !== undefined &&
  properties.length > 0 &&
  properties.every(({ key }) => readersFields.has(nameOf(key)))

const paceFields = new Set(["concurrency", "discard"])

/** True for an object whose only fields are `concurrency` or `discard`, such as the options of `Effect.forEach`. */
const isPace = ({ properties, type }: Node): boolean =>
  type === "ObjectExpression" &&
  properties !== undefined &&
  properties.length > 0 &&
  properties.every(({ key }) => paceFields.has(nameOf(key)))

const isText = ({ type }: Node): boolean => type === "StringLiteral" || type === "TemplateLiteral"

/** True for a class's `get message()`, which is assumed to be an error's. */
const isMessageGetter = ({ key, kind, type }: Node): boolean =>
  type === "ClassMethod" && kind === "get" && nameOf(key) === "message"

const isInMessageGetter = (path: NodePath): boolean =>
  isMessageGetter(path.node) || (path.parentPath !== null && isInMessageGetter(path.parentPath))

/** True for the body of a message getter that only returns a string literal or a template. */
const isMessageBody = ({ node, parentPath }: NodePath): boolean => {
  if (node.type !== "BlockStatement" || parentPath === null || !isMessageGetter(parentPath.node)) return false
  const [only, further] = Array.isArray(node.body) ? node.body : []
  return (
    further === undefined && only?.type === "ReturnStatement" && only.argument !== undefined && isText(only.argument)
  )
}

const reasonFor = (path: NodePath): string | undefined => {
  const text = isText(path.node)
  if ((text && isInMessageGetter(path)) || isMessageBody(path)) return "an error's message"
  if (isForReaders(path.node)) return "text for a reader"
  if (isPace(path.node) || (path.parentPath?.parentPath && isPace(path.parentPath.parentPath.node))) return "a pace"
  for (let at: NodePath | null = path; at !== null; at = at.parentPath) {
    const { node } = at
    const isArgument = at.listKey === "arguments"
    const call: Node | undefined = isArgument ? at.parentPath?.node : undefined
    if (call !== undefined && node.type === "ObjectExpression") {
      if (nameOf(call.callee) === "Effect.annotateLogs") return "a line of the log"
      if (/^Metric\.(counter|gauge|histogram|timer)$/.test(nameOf(call.callee))) return "the description of a series"
    }
    if (call !== undefined && (text || /\.(annotate|annotations|annotateKey)$/.test(nameOf(call.callee)))) {
      // In the verifier's `failure(reason, message)`, merchants act only on the reason.
      if (text && nameOf(call.callee) === "failure" && Number(at.key) > 0) return "a failure's sentence"
      const found = naming.find(([pattern]) => pattern.test(nameOf(call.callee)))
      if (found !== undefined) return found[1]
    }
    if (text && at.key === "value" && at.parentPath?.node.type === "ObjectProperty") {
      if (readersFields.has(nameOf(at.parentPath.node.key))) return "text for a reader"
    }
    if (/Function|ArrowFunction|Statement|ClassBody/.test(node.type)) return undefined
  }
  return undefined
}

export const strykerPlugins = [
  { kind: "Ignore", name: "noise", value: { shouldIgnore: (path: NodePath): string | undefined => reasonFor(path) } }
]
