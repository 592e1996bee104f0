import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"

/** A series that an expression selects, with the names of the labels in its selector. */
export interface Selected {
  readonly series: string
  readonly labels: ReadonlyArray<string>
}

export interface Reading {
  readonly selected: ReadonlyArray<Selected>
  /** Labels in the expression's `by`, `without`, `on` and `ignoring` clauses. */
  readonly grouping: ReadonlyArray<string>
}

const nodesOf = (root: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const nodes: Array<SyntaxNode> = []
  root.cursor().iterate((node) => {
    nodes.push(node.node)
  })
  return nodes
}

/** Replaces Grafana's variables with fixed values, because the grammar of PromQL has no variables. */
const filledIn = (expression: string): string =>
  expression.replaceAll("$__rate_interval", "5m").replaceAll(/"\$\w+"/g, '"x"')

/** Parses a PromQL expression with Prometheus' own grammar. Throws if it is invalid. */
export const readExpression = (text: string): Reading => {
  const expression = filledIn(text)
  const nodes = nodesOf(parser.parse(expression).topNode)
  const textOf = ({ from, to }: SyntaxNode): string => expression.slice(from, to)
  const named = (name: string, within: ReadonlyArray<SyntaxNode> = nodes) => within.filter((node) => node.name === name)
  const error = nodes.find((node) => node.type.isError)
  if (error !== undefined) throw new Error(`not PromQL at ${error.from}: ${expression}`)
  const selected = named("VectorSelector").map((selector) => {
    const inside = nodesOf(selector)
    return {
      series: named("Identifier", inside).map(textOf)[0] ?? "",
      labels: named("LabelName", inside).map(textOf)
    }
  })
  return {
    selected,
    grouping: named("GroupingLabels").flatMap((group) => named("LabelName", nodesOf(group)).map(textOf))
  }
}
