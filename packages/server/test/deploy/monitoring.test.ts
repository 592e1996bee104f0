import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { NotReady, Readiness } from "@surety/core/Readiness"
import * as ProcessMetrics from "@surety/webhooks/ProcessMetrics"
import { Effect, Layer } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { root, textOf } from "../docs/Fence.js"
import { readDeployFile } from "./DeployFile.js"
import { readExpression } from "./PromQl.js"
import { seriesOf, touchMetrics } from "./Scrape.js"

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}

const rules: ReadonlyArray<Rule> = parse(readDeployFile("alerts.yaml")).groups.flatMap(
  ({ rules }: { readonly rules: ReadonlyArray<Rule> }) => rules
)
const dashboard = JSON.parse(readDeployFile("grafana-dashboard.json"))
const panels: ReadonlyArray<Panel> = dashboard.panels

/** Metrics of Prometheus itself and of kube-state-metrics, with their labels. */
const foreign = new Map([
  ["up", new Set(["job", "instance"])],
  ["kube_job_status_failed", new Set(["job_name", "namespace"])]
])

/** Labels that Prometheus adds to every series. */
const added = ["job", "instance"]

const expressions = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...panels.flatMap(({ targets, title }) => targets.map(({ expr }) => ({ where: title, expr })))
]

const sourceFiles = readdirSync(path.join(root, "packages")).flatMap((name) => {
  const source = path.join(root, "packages", name, "src")
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join(source, file))
})

let isReady = true
let series: ReadonlyMap<string, ReadonlySet<string>>

const idle = { backlog: 0, dueSince: undefined }

/** Returns the text of `GET /metrics` when the backlogs for merchants and the platform are empty. */
const scrape = () =>
  Effect.runPromise(
    ProcessMetrics.text.pipe(
      Effect.provide([
        Layer.mock(DeliveryQueue, {
          stats: () => Effect.succeed({ lanes: { steady: idle, busy: idle, failing: idle }, disabledEndpoints: 0 })
        }),
        Layer.mock(PlatformFeed, {
          stats: () => Effect.succeed({ isOn: true, backlog: 0, oldestAt: undefined, failing: 0, healthy: 0 })
        }),
        Layer.succeed(Readiness, {
          check: Effect.suspend(() => (isReady ? Effect.void : Effect.fail(new NotReady({ detail: "away" }))))
        })
      ])
    )
  )

beforeAll(async () => {
  await Effect.runPromise(touchMetrics)
  series = new Map([...seriesOf(await scrape()), ...foreign])
})

describe("Metrics", () => {
  it("say whether this process can serve", async () => {
    assert.match(await scrape(), /^surety_ready 1$/m)
    isReady = false
    assert.match(await scrape(), /^surety_ready 0$/m)
    isReady = true
  })

  it("are all known to this test, and described on the page on operations", () => {
    const page = textOf("docs/embedding/operations.md")
    const declared = sourceFiles.flatMap((file) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/Metric\.(?:counter|gauge|histogram|frequency|summary|timer)\(\s*"(\w+)"/g),
        ([, name = ""]) => `surety_${name}`
      )
    )
    assert.isAtLeast(declared.length, 10)
    for (const name of declared) {
      assert.isTrue(series.has(name) || series.has(`${name}_bucket`), `no value is made for ${name}`)
      assert.include(page, `| \`${name}\` |`)
    }
  })

  it("are each shown in the dashboard, and no series is asked for that is not there", () => {
    const read = (where: ReadonlyArray<{ readonly expr: string }>) =>
      new Set(where.flatMap(({ expr }) => readExpression(expr).selected.map((selected) => selected.series)))
    const own = [...series.keys()].filter((name) => name.startsWith("surety_") && !/_(sum|count|min|max)$/.test(name))
    const shown = read(panels.flatMap(({ targets }) => targets))
    assert.sameMembers([...shown], own)
    for (const name of read(expressions)) assert.isTrue(series.has(name), `there is no series ${name}`)
  })
})

it.each(expressions)("the expression of $where is PromQL over labels that its series have", ({ expr }) => {
  const { grouping, selected } = readExpression(expr)
  assert.isNotEmpty(selected)
  const known = new Set(added)
  for (const { labels, series: name } of selected) {
    const own = new Set([...(series.get(name) ?? []), ...added])
    for (const label of labels) assert.isTrue(own.has(label), `${name} has no label ${label}`)
    for (const label of own) known.add(label)
  }
  for (const label of grouping) assert.isTrue(known.has(label), `nothing has a label ${label}`)
})

it("an expression that is not PromQL is found", () => {
  assert.throws(() => readExpression("sum by (le (rate(surety_ready[5m]))"))
  assert.throws(() => readExpression("max(surety_ready) >> 3"))
  assert.deepStrictEqual(readExpression('sum by (job) (up{job="$job"})'), {
    selected: [{ series: "up", labels: ["job"] }],
    grouping: ["job"]
  })
})

describe("alerts.yaml", () => {
  const runbooks = new Set(
    Array.from(readDeployFile("../docs/embedding/runbooks.md").matchAll(/^## (.+)$/gm), ([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 ]/g, "")
        .replaceAll(" ", "-")
    )
  )

  it.each(rules)("$alert says what it is, how bad, and what to do", ({ alert, annotations, labels }) => {
    assert.match(alert, /^Surety[A-Z]\w+$/)
    assert.include(["critical", "warning", "info"], labels.severity)
    assert.isNotEmpty(annotations.summary)
    const [, section = ""] =
      /^https:\/\/docs\.example\/surety\/embedding\/runbooks\.md#(.+)$/.exec(annotations.runbook_url) ?? []
    assert.isTrue(runbooks.has(section), `there is no runbook "${section}"`)
  })

  it("names each alert once", () => {
    assert.lengthOf(new Set(rules.map(({ alert }) => alert)), rules.length)
  })
})

describe("grafana-dashboard.json", () => {
  it("has panels with ids of their own, none over another", () => {
    assert.lengthOf(new Set(panels.map(({ id }) => id)), panels.length)
    const overlapping = panels.flatMap((one, index) =>
      panels.slice(index + 1).filter(({ gridPos: b }) => {
        const a = one.gridPos
        return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
      })
    )
    assert.deepStrictEqual(overlapping, [])
    assert.isTrue(panels.every(({ gridPos: { w, x } }) => x + w <= 24))
  })

  it("uses no variable that it does not define", () => {
    const text = JSON.stringify(dashboard)
    const defined: ReadonlyArray<string> = dashboard.templating.list.map(({ name }: { readonly name: string }) => name)
    const used = new Set(Array.from(text.matchAll(/\$\{?([a-z]\w*)/g), ([, name = ""]) => name))
    assert.sameMembers([...used], [...defined])
  })

  it("puts into each legend only labels that its expression keeps", () => {
    for (const { expr, legendFormat } of panels.flatMap(({ targets }) => targets)) {
      const { grouping } = readExpression(expr)
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) assert.include(grouping, label, expr)
    }
  })
})
