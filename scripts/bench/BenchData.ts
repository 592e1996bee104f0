import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, release, totalmem, type } from "node:os"
import path from "node:path"
import { Schema } from "effect"
import { root } from "../packages.ts"

/** Names of the benches' results, in the order of printing. Measured results are in `docs/bench/<name>.json`. */
export const benchNames = [
  "whoami",
  "refunds",
  "tried",
  "batches",
  "routes",
  "scale",
  "scaleRoutes",
  "scalePages",
  "night",
  "webhooks",
  "claims",
  "verifier",
  "json",
  "flood",
  "embed",
  "flows",
  "cells",
  "simulation",
  "ha"
] as const
export type BenchName = (typeof benchNames)[number]

const Goal = Schema.Struct({
  what: Schema.String,
  goal: Schema.String,
  measured: Schema.String,
  isMet: Schema.Boolean
})

const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Number]))

const reportFields = {
  versions: Schema.Record(Schema.String, Schema.String),
  settings: Schema.Record(Schema.String, Schema.Number),
  /** Rows of the table, by column. The suffix of a column's name gives the unit of its numbers; see `BenchPage.ts`. */
  lines: Schema.Array(Schema.Record(Schema.String, Cell)),
  goals: Schema.Array(Goal),
  /** Numbers that pages quote, as in `<!-- bench:whoami.ratio -->`. */
  figures: Schema.Record(Schema.String, Schema.Number)
}

/** Results of one run of a bench, without the individual rounds that its report also contains. */
export const BenchData = Schema.Struct({
  measuredOn: Schema.String,
  machine: Schema.String,
  /** A caveat about this run for the reader, added to the file by hand. */
  note: Schema.optionalKey(Schema.String),
  ...reportFields
})
export type BenchData = typeof BenchData.Type

export type AllBenchData = Readonly<Partial<Record<BenchName, BenchData>>>

const decodeReports = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Struct(reportFields)))
)
const decodeData = Schema.decodeUnknownSync(Schema.fromJsonString(BenchData))

const describeMachine = (): string => {
  const cores = cpus()
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${cores.length} × ${cores[0]?.model.trim() ?? "unknown processor"}, ${gibibytes} GiB, ${type()} ${release()}`
}

const significantDigits = 5

const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" ? Number(value.toPrecision(significantDigits)) : value

const fileOf = (name: BenchName): string => path.join("docs", "bench", `${name}.json`)

/** Decodes the reports that a bench process printed. Adds this machine, today's date and the version of Node. */
export const toData = (output: string): AllBenchData => {
  const reports = decodeReports(output)
  const measuredOn = new Date().toISOString().slice(0, 10)
  return Object.fromEntries(
    benchNames.flatMap((name) => {
      const report = reports[name]
      if (report === undefined) return []
      const versions = { Node: process.versions.node, ...report.versions }
      return [[name, { measuredOn, machine: describeMachine(), ...report, versions }]]
    })
  )
}

export const writeData = (name: BenchName, data: BenchData): string => {
  writeFileSync(path.join(root, fileOf(name)), `${JSON.stringify(data, rounded, 2)}\n`)
  return fileOf(name)
}

export const readData = (): AllBenchData =>
  Object.fromEntries(
    benchNames.flatMap((name) => {
      const file = path.join(root, fileOf(name))
      return existsSync(file) ? [[name, decodeData(readFileSync(file, "utf8"))]] : []
    })
  )
