import type { Migration } from "../../src/migrations/Migration.js"

/**
 * A lock that a step takes, a fault of the step, or both. `lock` is the lock mode, or empty for a fault alone. `table`
 * names an existing table or an index, or is empty.
 */
export interface StepLock {
  readonly table: string
  readonly lock: string
  /**
   * Set if the step is, or may be, unsafe on a populated database. For example, the statement is not recognised, or its
   * lock blocks writes for a time that grows with the table.
   */
  readonly fault?: string
}

const plain = (statement: string): string =>
  statement
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll('"surety".', "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase()

/** Splits a string at commas outside parentheses. */
const parts = (text: string): ReadonlyArray<string> => {
  const found = [""]
  let depth = 0
  for (const character of text) {
    if (character === "(") depth += 1
    if (character === ")") depth -= 1
    if (character === "," && depth === 0) found.push("")
    else found[found.length - 1] += character
  }
  return found.map((part) => part.trim())
}

/** Matches defaults that are treated as volatile. Adding a column with a volatile default rewrites the whole table. */
const volatileDefault = /default [^,]*\b(?:random|gen_random_uuid|clock_timestamp|nextval|uuid_v7|pg_current_xact_id)\(/

/** Returns true if earlier steps added and validated a check that the column is not null. */
type Validated = (table: string, column: string) => boolean

const exclusive = "access exclusive"

const ofAction = (table: string, action: string, isValidated: Validated): StepLock => {
  const brief: StepLock = { table, lock: exclusive }
  if (/^validate constraint /.test(action)) return { table, lock: "share update exclusive" }
  if (/^add constraint \S+ foreign key|references /.test(action)) {
    const foreign: StepLock = { table, lock: "share row exclusive" }
    return action.endsWith("not valid")
      ? foreign
      : { ...foreign, fault: "reads both tables: add it not valid, validate later" }
  }
  if (/^add (?:constraint \S+ )?check/.test(action)) {
    return action.endsWith("not valid")
      ? brief
      : { ...brief, fault: "reads the table: add it not valid, validate later" }
  }
  if (/^add (?:constraint \S+ )?(?:unique|primary key|exclude)/.test(action)) {
    return / using index /.test(action)
      ? brief
      : { ...brief, fault: "builds an index: create it concurrently, then using index" }
  }
  const notNull = /^alter (?:column )?(\S+) set not null$/.exec(action)
  if (notNull !== null) {
    return isValidated(table, notNull[1] ?? "")
      ? brief
      : { ...brief, fault: "reads the table: validate a check in an earlier step" }
  }
  if (/^alter (?:column )?\S+ (?:set data )?type /.test(action)) return { ...brief, fault: "rewrites the table" }
  if (/^add (?:column )?/.test(action)) {
    if (volatileDefault.test(action) || / stored$/.test(action) || / generated .*identity/.test(action)) {
      return { ...brief, fault: "rewrites the table: add the column without it, fill it in batches" }
    }
    return / not null/.test(action) && !/ default /.test(action)
      ? { ...brief, fault: "fails if there are rows" }
      : brief
  }
  return /^(?:drop|rename|set|reset|enable|disable|owner|alter (?:column )?\S+ (?:set|drop) default|alter (?:column )?\S+ drop not null)/.test(
    action
  )
    ? brief
    : { ...brief, fault: `of an unknown form: ${action}` }
}

const ofStatement = (text: string, isValidated: Validated): ReadonlyArray<StepLock> => {
  const index = /^create (?:unique )?index (concurrently )?(?:if not exists )?\S+ on (?:only )?(\w+)/.exec(text)
  if (index !== null) {
    const [, concurrently, table = ""] = index
    return concurrently === undefined
      ? [{ table, lock: "share", fault: "builds an index while writes wait: create it concurrently" }]
      : [{ table, lock: "share update exclusive" }]
  }
  const altered = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(text)
  if (altered !== null) {
    const [, table = "", actions = ""] = altered
    const referenced = [...actions.matchAll(/references (\w+)/g)].map(
      ([, other = ""]): StepLock => ({ table: other, lock: "share row exclusive" })
    )
    return [...parts(actions).map((action) => ofAction(table, action, isValidated)), ...referenced]
  }
  const dropped = /^drop index (concurrently )?(?:if exists )?(\w+)/.exec(text)
  if (dropped !== null) {
    return dropped[1] === undefined
      ? [{ table: dropped[2] ?? "", lock: exclusive, fault: "drop it concurrently" }]
      : [{ table: dropped[2] ?? "", lock: "share update exclusive" }]
  }
  if (/^create (?:unlogged )?table /.test(text)) {
    return [...text.matchAll(/references (\w+)/g)].map(([, table = ""]) => ({ table, lock: "share row exclusive" }))
  }
  const trigger = /^create trigger .* on (\w+) for each/.exec(text)
  if (trigger !== null) return [{ table: trigger[1] ?? "", lock: "share row exclusive" }]
  const inserted = /^insert into (\w+)/.exec(text)
  if (inserted !== null) return [{ table: inserted[1] ?? "", lock: "row exclusive" }]
  const changed = /^(?:update|delete from|truncate(?: table)?|lock table|cluster|vacuum full|reindex table) (\w+)/.exec(
    text
  )
  if (changed !== null) {
    return [
      { table: changed[1] ?? "", lock: "row exclusive", fault: "changes rows in one transaction: do it in batches" }
    ]
  }
  return /^(?:create (?:or replace )?function|create sequence|alter sequence|comment on|grant|revoke|drop function|drop table|drop trigger|select) /.test(
    text
  )
    ? []
    : [{ table: "", lock: exclusive, fault: `of an unknown form: ${text.slice(0, 60)}` }]
}

export const newTables = (step: Migration): ReadonlyArray<string> =>
  step.statements('"surety"').flatMap((statement) => {
    const [, table] = /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(plain(statement)) ?? []
    return table === undefined ? [] : [table]
  })

/**
 * Returns the locks that a step takes on existing tables. Includes its faults on a populated database under concurrent
 * writes.
 */
export const stepLocks = (step: Migration, earlier: ReadonlyArray<Migration>): ReadonlyArray<StepLock> => {
  const made = new Set(newTables(step))
  const texts = step.statements('"surety"').map(plain)
  const before = earlier.flatMap((other) => other.statements('"surety"').map(plain))
  const isValidated: Validated = (table, column) =>
    before.some((text) => {
      const [, name] =
        new RegExp(`^alter table ${table} add constraint (\\S+) check \\(${column} is not null\\) not valid$`).exec(
          text
        ) ?? []
      return name !== undefined && before.includes(`alter table ${table} validate constraint ${name}`)
    })
  const locks = texts.flatMap((text) => ofStatement(text, isValidated)).filter(({ table }) => !made.has(table))
  const concurrent = texts.filter((text) => / concurrently /.test(text))
  const misplaced: ReadonlyArray<StepLock> = [
    ...(concurrent.length > 0 && step.outsideTransaction !== true
      ? [{ table: "", lock: "", fault: "concurrently runs outside a transaction only" }]
      : []),
    ...(step.outsideTransaction === true &&
    texts.length !== concurrent.length + texts.filter((text) => / validate constraint /.test(text)).length
      ? [
          {
            table: "",
            lock: "",
            fault: "outside a transaction only what is run again as a whole: concurrently, validate"
          }
        ]
      : []),
    ...concurrent.flatMap((text, at) => {
      const [, name] = /^create (?:unique )?index concurrently (\w+)/.exec(text) ?? []
      return name === undefined || concurrent[at - 1] === `drop index concurrently if exists ${name}`
        ? []
        : [
            {
              table: name,
              lock: "",
              fault: "an interrupted build leaves an invalid index: drop it first, if it exists"
            }
          ]
    }),
    ...texts.flatMap((text) => {
      const [, table = "", name] = /^alter table (\w+) validate constraint (\S+)$/.exec(text) ?? []
      return name !== undefined &&
        texts.some((other) => other.startsWith(`alter table ${table} add constraint ${name} `))
        ? [
            {
              table,
              lock: exclusive,
              fault: "validates while the lock of the addition lasts: validate in a later step"
            }
          ]
        : []
    })
  ]
  return [...locks, ...misplaced]
}

export const lockFaults = (step: Migration, earlier: ReadonlyArray<Migration>): ReadonlyArray<string> =>
  stepLocks(step, earlier).flatMap(({ fault, table }) => (fault === undefined ? [] : [`${table}: ${fault}`]))
