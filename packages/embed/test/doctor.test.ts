import { randomBytes } from "node:crypto"
import {
  createSurety,
  embeddedStore,
  type HostWallet,
  memoryStore,
  migrations,
  postgresStore,
  type SuretyOptions
} from "@surety/embed"
import { diagnose } from "@surety/embed/doctor/diagnose"
import { loadPatient } from "@surety/embed/doctor/loadPatient"
import * as PgRoles from "@surety/postgres/PgRoles"
import { Pool } from "pg"
import { afterEach, assert, describe, it, vi } from "vitest"
import { hostDatabase } from "./HostDatabase.js"
import { secretsKey } from "./Shop.js"

const optionsOf = (options: Partial<SuretyOptions> = {}): SuretyOptions => ({
  store: memoryStore(),
  secretsKey,
  targets: "any",
  ...options
})

const told = async (options: Partial<SuretyOptions>, userId = "user-1") =>
  Object.fromEntries(
    (await diagnose(optionsOf(options), userId)).map(({ about, detail, verdict }) => [about, `${verdict}: ${detail}`])
  )

const walletThat = (credit: HostWallet["credit"]) => ({ wallet: { credit } })

afterEach(() => {
  vi.useRealTimers()
})

describe("The doctor", () => {
  it("finds nothing wrong with a host whose parts work, and asks the wallet once", async () => {
    const credits: Array<unknown> = []
    const found = await told({
      ...walletThat(async (credit) => {
        credits.push(credit)
        return { credited: true }
      }),
      directory: { values: async () => ({ display_name: "Ada Obi", phone_verified: true }) }
    })
    assert.deepStrictEqual(
      Object.entries(found).filter(([, line]) => line.startsWith("fault")),
      []
    )
    assert.match(found.refund ?? "", /^ok: refund_\w+ of 1 NGN is COMPLETED\.$/)
    assert.strictEqual(found.directory, "ok: It returned display_name, phone_verified.")
    assert.lengthOf(credits, 1)
    assert.deepInclude(credits[0], { userId: "user-1", environment: "TEST", amountMinor: 100n })
  })

  it("says what a wallet did wrong, and what to do", async () => {
    const throws = await told(walletThat(() => Promise.reject(new Error("ledger api: 401"))))
    assert.match(
      throws.wallet ?? "",
      /^fault: It did not confirm or decline the refund\. credit failed: ledger api: 401/
    )
    const untyped = JSON.parse('{ "credited": "yes" }')
    const wrong = await told(walletThat(async () => untyped))
    assert.include(wrong.wallet, "exactly { credited: true }")
    const declines = await told(walletThat(async () => ({ declined: "no such user." })))
    assert.match(declines.wallet ?? "", /declined the refund: no such user\. Pass --user .*user-1 was tried/)
  })

  it("says what a directory did wrong", async () => {
    const found = await told({ directory: { values: () => Promise.reject(new Error("users table is gone")) } })
    assert.match(found.directory ?? "", /^fault: .*values failed: users table is gone/)
  })

  it("lists every fault of the options, and goes no further", async () => {
    const findings = await diagnose(optionsOf({ secretsKey: "short", basePath: "pay" }), "user-1")
    assert.isAtLeast(findings.length, 2)
    assert.isTrue(findings.every(({ about, verdict }) => about === "options" && verdict === "fault"))
    const noUrl = await told({ targets: "public" })
    assert.match(noUrl.options ?? "", /^fault: publicUrl is not set/)
  })

  it("checks the role, the migrations and the clock of a database", async () => {
    const url = await hostDatabase()
    const pool = new Pool({ connectionString: url })
    pool.on("error", () => {})
    const unmigrated = await told({ store: postgresStore({ url, migrate: false }) })
    assert.match(unmigrated.database ?? "", /^fault: .*1 \(merchants\)/)
    assert.include(unmigrated.database, "migrations.sql()")
    // Runs the script as a host's own migration tool would.
    await pool.query(migrations.sql())
    const migrated = await told({ store: postgresStore({ url, migrate: false }) })
    assert.match(migrated["database role"] ?? "", /^advice: \w+ is a superuser\. Serve as a role that cannot/)
    assert.match(migrated.clock ?? "", /^ok: /)
    const weak = new URL(url)
    weak.searchParams.set("options", "-csynchronous_commit=off")
    const told201 = await told({ store: postgresStore({ url: weak.href, migrate: false }) })
    assert.match(told201.durability ?? "", /^advice: .*synchronous_commit = off: .* confirmed refunds\. Set it to on\./)

    const role = `doctor_${randomBytes(4).toString("hex")}`
    await pool.query(`create role ${role} login password 'doctor';
      grant usage on schema surety to ${role};
      grant select, insert, update, delete on all tables in schema surety to ${role};
      grant execute on all functions in schema surety to ${role};
      revoke update on surety.account from ${role}`)
    const asRole = Object.assign(new URL(url), { username: role, password: "doctor" }).href
    const limited = await told({ store: postgresStore({ url: asRole, migrate: false }) })
    assert.strictEqual(
      limited["database role"],
      `fault: ${role} lacks rights to table account. Grant them as described on the page Migrations, under "A role that only serves".`
    )
    await pool.query(`grant update on surety.account to ${role}`)
    const free = await told({ store: postgresStore({ url: asRole, migrate: false }) })
    assert.match(free["database role"] ?? "", /^advice: doctor_\w+ may change append-only records: /)
    await pool.query(PgRoles.script("surety", role))
    const serving = await told({ store: postgresStore({ url: asRole, migrate: false }) })
    assert.strictEqual(serving["database role"], `ok: ${role} has the rights that serving needs, and no others.`)
    const surety = await createSurety(optionsOf({ store: postgresStore({ pool }) }))
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 90_000 })
    const findings = await diagnose(surety, "user-1")
    const clock = findings.find(({ about }) => about === "clock")
    assert.match(clock?.detail ?? "", /^This machine's clock is (89|9\d)\.\d s ahead of the database's/)
    await surety.close()
    vi.useRealTimers()
    await pool.query(`drop owned by ${role}; drop role ${role}`)
    await pool.end()
  })

  it("says of an embedded database only what a host can change", async () => {
    const findings = await diagnose(optionsOf({ store: embeddedStore() }), "user-1")
    const [embedded] = findings.filter(({ about }) => about === "database")
    assert.strictEqual(embedded?.verdict, "advice")
    assert.match(embedded?.detail ?? "", /Use postgresStore except in development\.$/)
    assert.notInclude(JSON.stringify(findings), "fsync")
    assert.notInclude(JSON.stringify(findings), "superuser")
    assert.include(findings.map(({ about }) => about).join(), "refund")
  })

  it("says why a module cannot be examined", async () => {
    const refusalOf = (file: string) =>
      loadPatient(file).then(
        () => "",
        (cause: unknown) => String(cause)
      )
    assert.strictEqual(
      await refusalOf("./none.mjs"),
      "PatientNotFound: ./none.mjs does not exist. Pass --config with the path of your module."
    )
    const shop = import.meta.filename.replace("doctor.test.ts", "Shop.ts")
    assert.match(await refusalOf(shop), /PatientNotFound: .* exports neither/)
    assert.match(await refusalOf(import.meta.dirname), /PatientNotFound: .* cannot be imported: /)
  })
})
