import { fromUuid, toUuid } from "@surety/core/Ids"
import type pg from "pg"
import type { Party, TemplateDesk } from "./templates.ts"

/** Tables whose new and changed rows `capture` returns. */
export const copiedTables = [
  "event",
  "payment",
  "refund",
  "operator_transfer",
  "transfer",
  "data_request",
  "data_request_key",
  "asking",
  "consent_grant",
  "consent_receipt",
  "identity_read",
  "verification",
  "kyc_evidence",
  "delivery",
  "delivery_attempt",
  "request_entry",
  "rights_request",
  "operator_action"
] as const
type Table = (typeof copiedTables)[number]

interface Column {
  readonly name: string
  readonly type: string
}

type Row = Readonly<Record<string, string | null>>

export interface Captured {
  readonly columns: ReadonlyMap<Table, ReadonlyArray<Column>>
  readonly rows: ReadonlyArray<readonly [Table, Row]>
}

/** Condition for columns whose values the database supplies. These values are not copied. */
const isGiven = "a.attidentity <> '' or a.attgenerated <> '' or a.attname = 'committed_by'"

const columnsOf = async (client: pg.Client, table: Table): Promise<ReadonlyArray<Column>> => {
  const { rows } = await client.query<Column>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and not (${isGiven})`,
    [`surety.${table}`]
  )
  return rows
}

const ownerColumns = { merchant_id: "$1::uuid", user_id: "$2::text", service_id: "$3::text" }

const rowsOf = async (client: pg.Client, table: Table, columns: ReadonlyArray<Column>, party: Party) => {
  const owners = Object.entries(ownerColumns).filter(([name]) => columns.some((column) => column.name === name))
  const own =
    table === "delivery_attempt"
      ? "t.delivery_id in (select d.id from surety.delivery d where d.merchant_id = $1::uuid)"
      : owners.map(([name, value]) => `t.${name} = ${value}`).join(" or ")
  const { rows } = await client.query<Row>(
    `select ${columns.map(({ name }) => `t."${name}"::text`).join(", ")} from surety.${table} t
     where ($1::uuid, $2::text, $3::text) is not null and (${own})
     order by t.${columns.some(({ name }) => name === "id") ? "id" : "ctid"}`,
    [toUuid(party.merchantId), party.userId, party.serviceId]
  )
  return rows
}

/**
 * Runs `act`, then waits until its deliveries have ended and its requests are logged. Returns the rows that it stored
 * or changed for the desk's merchant or person.
 */
export const capture = async (
  client: pg.Client,
  desk: TemplateDesk,
  act: (desk: TemplateDesk) => Promise<unknown>
): Promise<Captured> => {
  const columns = new Map<Table, ReadonlyArray<Column>>()
  for (const table of copiedTables) columns.set(table, await columnsOf(client, table))
  const read = async () => {
    const found: Array<readonly [Table, Row]> = []
    for (const [table, of] of columns) {
      for (const row of await rowsOf(client, table, of, desk)) found.push([table, row])
    }
    return found
  }
  await untilStored(client, desk)
  const known = new Set((await read()).map((row) => JSON.stringify(row)))
  await act(desk)
  await untilStored(client, desk)
  return { columns, rows: (await read()).filter((row) => !known.has(JSON.stringify(row))) }
}

/** Waits for work that finishes after the response: deliveries, and entries of the request log. */
const untilStored = async (client: pg.Client, { called, merchantId }: TemplateDesk): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ readonly isStored: boolean }>(
      `select not exists (select from surety.delivery where merchant_id = $1::uuid and status = 'PENDING')
        and (select count(*) from surety.request_entry where merchant_id = $1::uuid) >= $2 as "isStored"`,
      [toUuid(merchantId), called()]
    )
    if (rows[0]?.isStored === true) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const typedId = /\b[a-z]+_([0-9a-hjkmnp-tv-z]{26})\b/g
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/**
 * A time in a captured string becomes the copy's time if it is within this many milliseconds of the act's start. Other
 * times, such as expiries, stay unchanged.
 */
const actMillis = 120_000

/** Builds a SQL string expression for `text`, with each key of `changes` replaced by its SQL expression. */
const spliced = (text: string, changes: ReadonlyMap<string, string>): string => {
  const longestFirst = [...changes.keys()].toSorted((a, b) => b.length - a.length)
  const escaped = longestFirst.map((from) => from.replaceAll(/[^\w]/gu, "\\$&"))
  const parts = changes.size === 0 ? [text] : text.split(new RegExp(`(${escaped.join("|")})`))
  return parts
    .filter((part) => part !== "")
    .map((part) => changes.get(part) ?? literal(part))
    .join(" || ")
}

/** SQL that copies the captured rows once for each row `s` of the table `batch`. */
export interface Copies {
  /**
   * Ids that are new in each copy, except delivery ids, which are derived. A batch has a UUID column `id0`, `id1`, …
   * for each. Ids that appear as text also have a column `text0`, … with the same number.
   */
  readonly ids: ReadonlyArray<{ readonly isText: boolean }>
  readonly inserts: ReadonlyArray<string>
  /** Change that one copy makes to the balance of each kind of account, in minor units. */
  readonly minor: ReadonlyMap<string, bigint>
}

/** Kinds of accounts, by account id. */
export type AccountKinds = ReadonlyMap<string, string>

const accountColumns: Readonly<Record<string, string>> = {
  WALLET: "s.wallet",
  SETTLEMENT: "s.settlement",
  EXTERNAL: "s.external"
}

export const copiesOf = ({ columns, rows }: Captured, party: Party, accounts: AccountKinds, base: number): Copies => {
  const known: ReadonlyArray<readonly [id: string, column: string]> = [
    [party.merchantId, "merchant"],
    [party.apiKeyId, "api_key"],
    [party.endpointId, "endpoint"]
  ]
  const uuidColumns = new Map(known.map(([id, column]) => [toUuid(id), `s.${column}_id`]))
  const suffixColumns = new Map(known.map(([id, column]) => [id.slice(id.lastIndexOf("_") + 1), `s.${column}_text`]))
  const ids: Array<{ isText: boolean }> = []
  const placeOf = new Map<string, number>()
  const idOf = (uuid: string): number => {
    const place = placeOf.get(uuid) ?? ids.length
    if (place === ids.length) {
      placeOf.set(uuid, place)
      ids.push({ isText: false })
    }
    return place
  }
  // Numbers ids in sorted order, so that copies keep that order. Ids begin with a timestamp.
  const uuids = rows.flatMap(([, row]) => Object.values(row).filter((value) => value !== null && uuidText.test(value)))
  const deliveries = rows.flatMap(([table, row]) => (table === "delivery" ? [row] : []))
  const deliveryIds = new Set(deliveries.map(({ id }) => id))
  for (const uuid of uuids.toSorted()) {
    if (uuid !== null && !uuidColumns.has(uuid) && !deliveryIds.has(uuid)) idOf(uuid)
  }
  const uuidOf = (uuid: string): string => uuidColumns.get(uuid) ?? `s.id${idOf(uuid)}`
  for (const { endpoint_id, event_id, id } of deliveries) {
    uuidColumns.set(id ?? "", `surety.delivery_id(${uuidOf(event_id ?? "")}, ${uuidOf(endpoint_id ?? "")})`)
  }

  const suffixOf = (suffix: string): string => {
    const column = suffixColumns.get(suffix)
    if (column !== undefined) return column
    const place = idOf(toUuid(`id_${suffix}`))
    const id = ids[place]
    if (id !== undefined) id.isText = true
    return `s.text${place}`
  }

  const textOf = (text: string): string => {
    const changes = new Map<string, string>([
      [party.userId, "s.user_id"],
      [party.serviceId, "s.service_id"],
      [`order-${party.userId}`, "s.label"],
      [`"environment":"TEST"`, `'"environment":"' || s.environment || '"'`]
    ])
    for (const [id, suffix = ""] of text.matchAll(typedId))
      if (id !== party.userId) changes.set(suffix, suffixOf(suffix))
    for (const [time] of text.matchAll(isoTime)) {
      if (Math.abs(Date.parse(time) - base) < actMillis) changes.set(time, "s.at_text")
    }
    return spliced(text, changes)
  }

  const columnValue = (table: Table, { name, type }: Column, value: string | null): string => {
    if (value === null) return `null::${type}`
    if (name === "environment") return "s.environment"
    if (name === "epoch") return "(select surety.event_epoch())"
    if (name === "idempotency_key") return "s.label"
    if (name === "token_hash") return "md5(s.label)"
    if (name === "played" || name === "test_outcome") {
      return `case when s.environment = 'TEST' then ${literal(value)} end`
    }
    if (type === "uuid") return uuidOf(value)
    if (type.startsWith("timestamp")) return `s.at + interval '${Date.parse(value) - base} milliseconds'`
    if (name === "debit_account_id" || name === "credit_account_id") {
      const column = accountColumns[accounts.get(value) ?? ""]
      if (column === undefined) throw new Error(`A template’s ${table} has an unknown account`)
      return column
    }
    return type === "text" || type === "jsonb" ? `(${textOf(value)})::${type}` : `${literal(value)}::${type}`
  }

  const inserts = rows.map(([table, row]) => {
    const of = columns.get(table) ?? []
    const values = new Map(of.map((column) => [column.name, columnValue(table, column, row[column.name] ?? null)]))
    if (table === "consent_receipt") {
      return `insert into surety_scale.receipt select s.merchant_id, s.environment, ${values.get("id")}, s.user_id,
        ${values.get("body")} from batch s`
    }
    const names = of.map(({ name }) => `"${name}"`).join(", ")
    // Several copies may share a merchant and a person, but `asking` has only one row for them. Its rows go to a
    // separate table and are deduplicated after the copying.
    const schema = table === "asking" ? "surety_scale" : "surety"
    return `insert into ${schema}.${table} (${names}) select ${[...values.values()].join(", ")} from batch s`
  })
  return { ids, inserts, minor: minorOf(rows, accounts) }
}

const minorOf = (rows: Captured["rows"], accounts: AccountKinds): ReadonlyMap<string, bigint> => {
  const minor = new Map<string, bigint>()
  const add = (account: string | null | undefined, amount: bigint) => {
    const kind = accounts.get(account ?? "") ?? ""
    minor.set(kind, (minor.get(kind) ?? 0n) + amount)
  }
  for (const [table, { amount_minor, credit_account_id, debit_account_id }] of rows) {
    if (table !== "transfer") continue
    add(debit_account_id, -BigInt(amount_minor ?? 0))
    add(credit_account_id, BigInt(amount_minor ?? 0))
  }
  return minor
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
const bitsOfDigit = 5

/**
 * SQL that computes the shared parts of a copy's ids from its time `ms` and number `n`. The first 48 bits of a UUIDv7,
 * ten digits of its TypeID, are the time. The next 20 bits, four digits, hold the version, the variant, the template
 * and the id's number. The last 60 bits, twelve digits, spell `n` in hexadecimal, with five bits per hexadecimal digit.
 */
export const idParts = [
  "lpad(to_hex(ms), 12, '0') as ms_hex",
  `${Array.from({ length: 10 }, (_, digit) => `substr('${digits}', ((ms >> ${bitsOfDigit * (9 - digit)}) & 31)::int + 1, 1)`).join(" || ")} as ms_text`,
  `lpad(to_hex(${Array.from({ length: 7 }, (_, nibble) => `((((n >> ${4 * nibble}) & 15)::bigint) << ${bitsOfDigit * nibble})`).join(" | ")}), 15, '0') as n_hex`,
  "lpad(to_hex(n), 12, '0') as n_text"
].join(", ")

/** Builds SQL that computes the ids of a batch from the columns of `idParts`. */
export const idsOf = ({ ids }: Copies, template: number): ReadonlyArray<string> =>
  ids.flatMap(({ isText }, place) => {
    const middle = `7${(template * 64 + place).toString(16).padStart(3, "0")}8`
    const bits = Number.parseInt(middle, 16)
    const quad = [15, 10, 5, 0].map((shift) => digits[(bits >> shift) & 31]).join("")
    return [
      `(ms_hex || '${middle}' || n_hex)::uuid as id${place}`,
      ...(isText ? [`ms_text || '${quad}' || n_text as text${place}`] : [])
    ]
  })

/** Fails unless the text ids in two rows of the batch match their UUIDs. A mistake here would corrupt every copy. */
export const checkIds = async (client: pg.Client, { ids }: Copies): Promise<void> => {
  const { rows } = await client.query<Readonly<Record<string, unknown>>>("select * from batch limit 2")
  for (const row of rows) {
    for (const [place, { isText }] of ids.entries()) {
      if (isText && fromUuid("x", String(row[`id${place}`])) !== `x_${row[`text${place}`]}`) {
        throw new Error(`The text of ${row[`id${place}`]} is not ${row[`text${place}`]}`)
      }
    }
  }
}
