import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { Migration } from "../../src/migrations/Migration.js"
import { migrations } from "../../src/PgMigrations.js"
import { lockFaults, newTables, stepLocks } from "./stepLocks.js"

const step = (id: number, statements: ReadonlyArray<string>, outsideTransaction?: true): Migration => ({
  id,
  name: "later",
  statements: () => statements,
  ...(outsideTransaction === undefined ? {} : { outsideTransaction })
})

const faultsOf = (statements: ReadonlyArray<string>, outside?: true): ReadonlyArray<string> =>
  lockFaults(step(99, statements, outside), migrations.steps)

const { steps: released }: { readonly steps: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL("../../released-migrations.json", import.meta.url), "utf8")
)

/** Steps that will run on databases of an earlier release. Empty before the first release. */
const added = migrations.steps.filter(
  ({ id, name }) => Object.keys(released).length > 0 && released[`${id} ${name}`] === undefined
)

it("no step after a release holds a lock that writes wait for, for longer the more rows there are", () => {
  expect(
    added.flatMap((later) =>
      lockFaults(
        later,
        migrations.steps.filter(({ id }) => id < later.id)
      )
    )
  ).toEqual([])
})

it.each([
  ["create index event_a_idx on event (topic)", "builds an index while writes wait"],
  ["create unique index event_a_idx on event (topic)", "builds an index while writes wait"],
  ["alter table event alter column trace set not null", "validate a check in an earlier step"],
  ["alter table event add constraint a foreign key (id) references refund (id)", "add it not valid"],
  ["alter table event add column a uuid references refund (id)", "add it not valid"],
  ["alter table event add constraint a check (id is not null)", "add it not valid"],
  ["alter table event add column a text, add constraint b check (id is not null)", "add it not valid"],
  ["alter table event add constraint a unique (id)", "create it concurrently, then using index"],
  ["alter table event alter column topic type varchar(40)", "rewrites the table"],
  ["alter table event alter topic type varchar(40)", "rewrites the table"],
  ["alter table event add column a uuid not null default gen_random_uuid()", "rewrites the table"],
  ["alter table event add column a text generated always as (topic || body) stored", "rewrites the table"],
  ["alter table event add column a text not null", "fails if there are rows"],
  ["update event set topic = topic", "do it in batches"],
  ["delete from event", "do it in batches"],
  ["drop index event_live_topic_idx", "drop it concurrently"],
  ["create index concurrently event_a_idx on event (topic)", "outside a transaction only"],
  ["do $$ begin end $$", "of an unknown form"]
])("refuses %s", (statement, fault) => {
  expect(faultsOf([statement]).join("\n")).toContain(fault)
})

it("refuses an index that an interrupted build would leave invalid, and a check that is validated under its own lock", () => {
  expect(faultsOf(["create index concurrently a on event (id)"], true)).toHaveLength(1)
  expect(
    faultsOf([
      "alter table event add constraint a check (id is not null) not valid",
      "alter table event validate constraint a"
    ])
  ).toHaveLength(1)
  expect(faultsOf(["alter table event add column a text"], true)).toHaveLength(1)
})

it("accepts what holds its locks briefly", () => {
  expect(
    faultsOf(["alter table event add column a text", "alter table event add column b integer not null default 0"])
  ).toEqual([])
  expect(faultsOf(["drop index concurrently if exists a", "create index concurrently a on event (id)"], true)).toEqual(
    []
  )
  expect(faultsOf(["create table a (id uuid)", "create index a_idx on a (id)"])).toEqual([])
  const check = step(99, ["alter table event add constraint a check (trace is not null) not valid"])
  const valid = step(100, ["alter table event validate constraint a"], true)
  const notNull = step(101, ["alter table event alter column trace set not null"])
  expect(lockFaults(valid, [...migrations.steps, check])).toEqual([])
  expect(lockFaults(notNull, [...migrations.steps, check, valid])).toEqual([])
  // A check constraint that was never validated proves nothing.
  expect(lockFaults(notNull, [...migrations.steps, check])).toHaveLength(1)
})

const page = fileURLToPath(new URL("../../../../docs/platform/migrations.md", import.meta.url))

const rows = migrations.steps.map((each) => {
  const found = new Map<string, string>()
  for (const { fault, lock, table } of stepLocks(
    each,
    migrations.steps.filter(({ id }) => id < each.id)
  )) {
    found.set(`\`${table}\` ${lock}${fault === undefined ? "" : ", for as long as it has rows"}`, table)
  }
  const locks = [...found.keys()].sort().join("; ")
  const outside = each.outsideTransaction === true ? "outside a transaction" : "in one transaction"
  return `| ${each.id} | \`${each.name}\` | ${newTables(each).length} | ${outside} | ${locks === "" ? "none" : locks} |`
})

// `vitest -u` replaces everything below the header of the page's table.
it("the page says what each step locks", async () => {
  const text = readFileSync(page, "utf8").split("\n")
  const table = text.findIndex((line) => /^\|[-:|]+\|$/.test(line))
  await expect(`${[...text.slice(0, table + 1), ...rows].join("\n")}\n`).toMatchFileSnapshot(page)
})
