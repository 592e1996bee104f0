import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { MerchantId, toUuid } from "@surety/core/Ids"
import { Effect, Fiber } from "effect"
import { transfersOfPayments } from "../archive/transfersOfPayments.js"
import { runHere } from "../support/CommandHere.js"
import { connected } from "../support/connected.js"
import { created, merchantWithConsumer, send } from "../support/Merchant.js"
import { receiver } from "../support/Receiver.js"
import { asking, listed, paid, persist, refunding, request, verifying } from "../support/Requests.js"
import { audit, sound } from "../support/ServerPair.js"
import { runSurety, serverProcess } from "../support/ServerProcess.js"
import { CellServer, layer, neighbours } from "./CellServer.js"

const timeoutMillis = 300_000

/** Polls until `isWanted` accepts the response. Only the test's timeout limits the wait. */
const until = <A>(ask: Effect.Effect<A>, isWanted: (answer: A) => boolean): Effect.Effect<A> =>
  Effect.flatMap(ask, (answer) =>
    isWanted(answer) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep("50 millis"), until(ask, isWanted))
  )

/** Builds SQL that inserts three payments of a merchant, settled in January 2025, and their events. */
const settledLongAgo = (schema: string, merchant: string): string => `
  with made as (
    insert into ${schema}.event (merchant_id, environment, id, topic, body, occurred_at)
    select '${merchant}', 'LIVE', ${schema}.uuid_v7(n.at), 'transaction.settled', '{}', n.at
    from (select '2025-01-01T00:00:00Z'::timestamptz + make_interval(days => g) as at from generate_series(1, 3) g) n
    returning id, occurred_at
  )
  insert into ${schema}.payment
    (merchant_id, environment, id, method, status, currency, amount_minor, refunded_minor, created_at, settled_at, event_id)
  select '${merchant}', 'LIVE', 'pay-' || m.id, 'CARD', 'SETTLED', 'NGN', 100, 0, m.occurred_at, m.occurred_at, m.id
  from made m`

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

it.layer(layer, { timeout: timeoutMillis, excludeTestServices: true })("A server over two cells", (it) => {
  it.effect(
    "serves merchants of both: refunds, requests, verifications and webhooks, and lists them together",
    () =>
      Effect.gen(function* () {
        const { environment, server } = yield* CellServer
        const { east, west } = yield* neighbours
        const operator = { bearer: server.operatorToken }
        const inbox = yield* receiver
        for (const merchant of [east, west]) {
          yield* created(server, `/merchants/${merchant.id}/webhooks`, { body: { url: inbox.url } })
          const transactionId = yield* paid(server, merchant, 1000)
          const refund = yield* request(server, refunding(merchant, transactionId, "first", 10))
          assert.strictEqual(refund.status, 201, refund.text)
          const again = yield* request(server, refunding(merchant, transactionId, "first", 10))
          assert.strictEqual(again.text, refund.text)
          assert.strictEqual((yield* request(server, asking(merchant, "ask"))).status, 201)
          assert.strictEqual((yield* request(server, verifying(merchant, "verify"))).status, 201)
        }
        yield* inbox.waitFor(2)
        const merchants = yield* send(server, "GET", "/operator/merchants?limit=100", operator)
        const refunds = yield* send(server, "GET", "/operator/refunds?environment=TEST&limit=100", operator)
        const listedMerchants: ReadonlyArray<{ readonly id: string }> = merchants.body.data
        assert.includeMembers(
          listedMerchants.map(({ id }) => id),
          [east.id, west.id]
        )
        const listedRefunds: ReadonlyArray<{ readonly merchantId: string }> = refunds.body.data
        assert.includeMembers(
          listedRefunds.map(({ merchantId }) => merchantId),
          [east.id, west.id]
        )
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )

  it.effect(
    "links one person to merchants of both, and keeps the operator's actions with their changes",
    () =>
      Effect.gen(function* () {
        const { environment, server } = yield* CellServer
        const { east, west } = yield* neighbours
        const operator = { bearer: server.operatorToken }
        const { serviceId } = east
        yield* created(server, `/operator/merchants/${west.id}/links`, {
          ...operator,
          body: { environment: "TEST", serviceId }
        })
        const person = { ...west, serviceId }
        assert.strictEqual((yield* request(server, asking(person, "shared"))).status, 201)
        yield* paid(server, person, 25)
        for (const [merchant, other] of [
          [east, west],
          [west, east]
        ] as const) {
          const payout = (merchantId: string) => ({
            ...operator,
            body: { environment: "TEST", currency: "NGN", kind: "FUNDING", merchantId, amount: 5, reason: "To begin" },
            headers: { "idempotency-key": `payout-${merchant.id}` }
          })
          const posted = yield* send(server, "POST", "/operator/ledger/transfers", payout(merchant.id))
          assert.strictEqual(posted.status, 201, posted.text)
          const again = yield* send(server, "POST", "/operator/ledger/transfers", payout(merchant.id))
          assert.strictEqual(again.body.transferId, posted.body.transferId)
          const reused = yield* send(server, "POST", "/operator/ledger/transfers", payout(other.id))
          assert.strictEqual(reused.body.code, "idempotency_key_reused", "the key is used, in whichever cell")
          const path = `/operator/merchants/${merchant.id}/status`
          const suspended = yield* send(server, "POST", path, {
            ...operator,
            body: { status: "REJECTED", reason: "No" }
          })
          assert.strictEqual(suspended.body.status, "REJECTED", suspended.text)
          const actions = yield* send(server, "GET", `/operator/actions?merchantId=${merchant.id}`, operator)
          const kept: ReadonlyArray<{ readonly kind: string }> = actions.body.data
          assert.includeMembers(
            kept.map(({ kind }) => kind),
            ["merchant.status_changed", "transfer.posted"]
          )
        }
        assert.deepStrictEqual(yield* audit(environment), sound)
      }),
    timeoutMillis
  )

  it.effect(
    "goes on without a cell that is down, names it, and has it again once it is back",
    () =>
      Effect.gen(function* () {
        const { road, server } = yield* CellServer
        const { east, west } = yield* neighbours
        const [here, there] = [yield* paid(server, east, 100), yield* paid(server, west, 100)]
        yield* road.set("cut")
        const refused = yield* until(request(server, refunding(west, there, "down", 1)), ({ status }) => status !== 201)
        assert.strictEqual(refused.status, 503, refused.text)
        assert.isNotNull(refused.headers.get("retry-after"))
        const served = yield* request(server, refunding(east, here, "up", 1))
        assert.strictEqual(served.status, 201, served.text)
        const ready = yield* until(send(server, "GET", "/readyz"), ({ body }) => body.impaired !== undefined)
        assert.strictEqual(ready.status, 200)
        assert.deepStrictEqual(ready.body, { status: "ready", impaired: [{ cell: "west" }] })
        const metrics = yield* Effect.promise(async () => (await fetch(`${server.url}/metrics`)).text())
        assert.match(metrics, /^surety_cell_ready\{cell="west"\} 0$/m)
        assert.match(metrics, /^surety_cell_ready\{cell="east"\} 1$/m)
        const bearer = server.operatorToken
        assert.strictEqual((yield* send(server, "GET", "/operator/merchants", { bearer })).status, 503)
        yield* road.set("open")
        const back = yield* until(request(server, refunding(west, there, "down", 1)), ({ status }) => status !== 503)
        assert.strictEqual(back.status, 201, back.text)
        yield* until(send(server, "GET", "/readyz"), ({ body }) => body.impaired === undefined)
      }),
    timeoutMillis
  )

  it.effect(
    "goes on with a merchant that is moved while it refunds: nothing is lost, doubled or sent twice",
    () =>
      Effect.gen(function* () {
        const { cellOf, environment, server } = yield* CellServer
        const { east, west } = yield* neighbours
        const inbox = yield* receiver
        yield* created(server, `/merchants/${west.id}/webhooks`, { body: { url: inbox.url } })
        const transactionId = yield* paid(server, west, 100_000)
        const first = yield* persist(server, refunding(west, transactionId, "first", 1))
        const moving = yield* Effect.forkChild(
          Effect.promise(() => runSurety(["cells", "move", west.id, "--to", "east"], environment))
        )
        let count = 1
        let waited = 0
        while (moving.pollUnsafe() === undefined) {
          const sent = refunding(west, transactionId, `moving-${count}`, 1)
          const answer = yield* request(server, sent)
          if (answer.status === 503) {
            assert.isNotNull(answer.headers.get("retry-after"), answer.text)
            waited += 1
            yield* Effect.sleep("50 millis")
            continue
          }
          assert.strictEqual(answer.status, 201, answer.text)
          count += 1
          yield* Effect.sleep("10 millis")
        }
        const { code, stderr, stdout } = yield* Fiber.join(moving)
        assert.strictEqual(code, 0, stderr)
        assert.match(stdout, /is in "east" with \d+ rows\. Its writes were refused for \d+\.\d s\./)
        assert.isAbove(waited, 0, "writes are refused while the last changes follow")
        assert.strictEqual(yield* cellOf(west.id), "east")

        const again = yield* persist(server, refunding(west, transactionId, "first", 1))
        assert.strictEqual(again.text, first.text, "an idempotency key of before is known")
        assert.strictEqual((yield* persist(server, refunding(west, transactionId, "after", 1))).status, 201)
        count += 1
        const refunds = yield* listed(server, west, "/v1/refunds")
        assert.lengthOf(refunds, count)
        assert.lengthOf(new Set(refunds.map(({ refundId }) => refundId)), count)
        yield* inbox.waitFor(count)
        const told = yield* until(
          listed(server, west, "/v1/events"),
          (events) => events.filter(({ topic }) => topic === "refund.completed").length >= count
        )
        assert.lengthOf(new Set(told.map(({ id }) => id)), told.length)
        const other = yield* paid(server, east, 10)
        assert.strictEqual((yield* persist(server, refunding(east, other, "neighbour", 1))).status, 201)
        assert.deepStrictEqual(yield* audit(environment), sound)
        const unknown = yield* Effect.promise(() => runHere(["cells", "move", west.id, "--to", "north"], environment))
        assert.strictEqual(unknown.code, 1)
        assert.include(unknown.stderr, 'unknown cell "north"')
      }),
    timeoutMillis
  )

  it.effect(
    "names a move that was cut short, and what a cell kept of one, until it is ended",
    () =>
      Effect.gen(function* () {
        const { environment } = yield* CellServer
        const { west } = yield* neighbours
        const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere(args, environment))
        const uuid = toUuid(MerchantId.make(west.id))
        const database = yield* connected(environment.DATABASE_URL ?? "")
        const doctor = () =>
          Effect.map(run("doctor"), ({ stdout }) => lines(stdout).filter((line) => / moves/.test(line)))
        assert.match((yield* doctor()).join("\n"), /No merchant is being moved/)
        yield* Effect.promise(() =>
          database.query(`do $$ begin
            create schema moving_left;
            comment on schema moving_left is 'cell_east ${uuid}';
          end $$`)
        )
        const remnants = `"east" has remnants of an earlier move of ${west.id}, which is in "west". Run surety cells clear ${west.id} --cell east to remove them.`
        assert.include((yield* run("cells", "list")).stdout, remnants)
        assert.include((yield* doctor()).join("\n"), remnants)
        yield* Effect.promise(() =>
          database.query(`update surety_directory.merchant_place
            set moving_to = 'east', move_attempt = gen_random_uuid() where merchant_id = '${west.id}'`)
        )
        const onItsWay = `${west.id} is being moved from "west" to "east". Run surety cells move ${west.id} --to east to resume`
        assert.include((yield* run("cells", "list")).stdout, onItsWay)
        const early = yield* run("cells", "clear", west.id, "--cell", "east")
        assert.strictEqual(early.code, 1)
        assert.include(early.stderr, "Nothing was deleted: the merchant has an open move")
        assert.notInclude(early.stderr, "DATABASE_URL")
        const aborted = yield* run("cells", "move", west.id, "--abort")
        assert.strictEqual(aborted.code, 0, aborted.stderr)
        assert.notInclude((yield* run("cells", "list")).stdout, west.id)
        yield* Effect.promise(() =>
          database.query(`do $$ begin
            create schema moving_left;
            comment on schema moving_left is 'cell_east ${uuid}';
          end $$`)
        )
        const removed = yield* run("cells", "clear", west.id, "--cell", "east")
        assert.strictEqual(removed.code, 0, removed.stderr)
        assert.match((yield* doctor()).join("\n"), /No merchant is being moved/)
      }).pipe(Effect.scoped),
    timeoutMillis
  )

  it.effect(
    "does not start with a restored cell that has old rows of a merchant, names it, and clears it",
    () =>
      Effect.gen(function* () {
        const { cellOf, environment } = yield* CellServer
        const { west } = yield* neighbours
        const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere(args, environment))
        const database = yield* connected(environment.DATABASE_URL ?? "")
        yield* Effect.promise(() =>
          database.query(`create temporary table old as select * from cell_east.merchant limit 1;
            update old set id = '${toUuid(MerchantId.make(west.id))}', business_code = 'OLDROWS01', external_id = null;
            insert into cell_east.merchant select * from old`)
        )
        const old = `"east" has rows of ${west.id}, which is in "west" by the directory. If "east" was restored from a backup, surety cells clear ${west.id} --cell east deletes them; if the directory was, restore it as it was last.`
        assert.include((yield* run("cells", "list")).stdout, old)
        const examined = yield* run("doctor")
        assert.strictEqual(examined.code, 1)
        assert.include(examined.stdout, old)
        for (const part of [[], ["--cell", "east"], ["--cell", "east", "--merchant", west.id]]) {
          const refused = yield* run("verify", ...part)
          assert.strictEqual(refused.code, 1)
          assert.include(refused.stderr, `Surety cannot use the cell "east": ${old}`)
        }
        const cleared = yield* run("cells", "clear", west.id, "--cell", "east")
        assert.strictEqual(cleared.code, 0, cleared.stderr)
        assert.strictEqual(yield* cellOf(west.id), "west")
        assert.deepStrictEqual(yield* audit(environment), sound)
      }).pipe(Effect.scoped),
    timeoutMillis
  )

  it.effect(
    "restores no archive of a merchant that has left the cell, and says how to",
    () =>
      Effect.gen(function* () {
        const { environment, server } = yield* CellServer
        const { west } = yield* neighbours
        const to = mkdtempSync(path.join(tmpdir(), "surety-cells-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(to, { recursive: true, force: true })))
        const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere(args, environment))
        yield* paid(server, west, 100)
        const cells: ReadonlyArray<{ readonly url: string; readonly schema: string }> = JSON.parse(
          environment.CELLS ?? "[]"
        )
        const { schema, url } = cells[1] ?? assert.fail("there is a western cell")
        const database = yield* connected(url)
        const merchantId = toUuid(MerchantId.make(west.id))
        yield* Effect.promise(() => database.query(settledLongAgo(schema, merchantId)))
        yield* Effect.promise(() => database.query(transfersOfPayments(schema, merchantId)))
        const archived = yield* run("archive", "--before", "2025-03-01", "--to", to, "--cell", "west")
        assert.strictEqual(archived.code, 0, archived.stderr)
        const restore = () => run("archive", "restore", path.join(to, "west"), "--cell", "west")
        assert.strictEqual((yield* run("cells", "move", west.id, "--to", "east")).code, 0)
        const refused = yield* restore()
        assert.strictEqual(refused.code, 1)
        assert.include(
          refused.stderr,
          `Nothing was restored: the archives have events of merchants that have left the cell "west": ${west.id} (in "east")`
        )
        assert.strictEqual((yield* run("cells", "move", west.id, "--to", "west")).code, 0)
        const restored = yield* restore()
        assert.strictEqual(restored.code, 0, restored.stderr)
        assert.match(restored.stdout, /[1-9]\d* rows restored/)
      }).pipe(Effect.scoped),
    timeoutMillis
  )

  it.effect(
    "has its commands work on each cell, or on one of them",
    () =>
      Effect.gen(function* () {
        const { environment } = yield* CellServer
        const run = (...args: ReadonlyArray<string>) => Effect.promise(() => runHere(args, environment))
        const list = yield* run("cells", "list")
        assert.match(list.stdout, /^east \(schema cell_east\): \d+ merchants?, home, open to new merchants$/m)
        assert.match(list.stdout, /^west \(schema cell_west\): \d+ merchants?, open to new merchants$/m)
        assert.strictEqual((yield* run("cells", "add", "west")).code, 0, "again, it enters what is missing")
        const migrated = yield* run("migrate")
        assert.strictEqual(migrated.code, 0, migrated.stderr)
        assert.includeMembers([...lines(migrated.stdout)], ["Cell east:", "Cell west:", "The schema is up to date."])
        const plan = yield* run("partition", "plan", "--cell", "west")
        assert.strictEqual(lines(plan.stdout)[0], "Cell west:", plan.stderr)
        assert.notInclude(plan.stdout, "Cell east:")
        assert.strictEqual((yield* run("partition", "plan", "--cell", "north")).code, 1)
        assert.strictEqual((yield* run("retention", "--dry-run")).code, 0)
        const verified = yield* run("verify", "--cell", "west")
        assert.strictEqual(verified.code, 0, verified.stderr)
        assert.include(verified.stdout, "Everything adds up.")
        assert.strictEqual((yield* run("verify", "--cell", "north")).code, 1)
        const doctor = yield* run("doctor")
        assert.include(doctor.stdout, "role in west")
      }),
    timeoutMillis
  )

  it.effect(
    "says which database a command cannot use: the directory, or a cell's",
    () =>
      Effect.gen(function* () {
        const { environment } = yield* CellServer
        const elsewhere = "postgres://surety@127.0.0.1:1/surety"
        const run = (other: Readonly<Record<string, string>>) =>
          Effect.forEach(
            [
              ["partition", "plan"],
              ["migrate", "--print"]
            ],
            (args) => Effect.promise(() => runHere(args, { ...environment, ...other }))
          )
        for (const { code, stderr } of yield* run({ DATABASE_URL: elsewhere })) {
          assert.strictEqual(code, 1)
          assert.match(
            stderr,
            /^Surety cannot use the directory of its cells: .*ECONNREFUSED 127\.0\.0\.1:1\. Check DATABASE_URL\.$/m
          )
        }
        const [east] = JSON.parse(environment.CELLS ?? "[]")
        const CELLS = JSON.stringify([east, { name: "west", url: elsewhere, schema: "cell_west" }])
        for (const { code, stderr } of yield* run({ CELLS })) {
          assert.strictEqual(code, 1)
          assert.match(stderr, /^Surety cannot use the cell "west": .*ECONNREFUSED 127\.0\.0\.1:1/m)
        }
      }),
    timeoutMillis
  )

  it.effect(
    "serves as a role that may only serve, in the directory and in both cells",
    () =>
      Effect.gen(function* () {
        const { environment } = yield* CellServer
        const owned = environment.DATABASE_URL ?? ""
        const role = `cells_${randomBytes(6).toString("hex")}`
        const owner = yield* connected(owned)
        yield* Effect.promise(() => owner.query(`create role ${role} login password '${role}'`))
        const granted = yield* Effect.promise(() => runHere(["migrate", "--serve-as", role], environment))
        assert.strictEqual(granted.code, 0, granted.stderr)
        const asRole = (text: string) => text.replaceAll(/postgres:\/\/[^@]+@/g, `postgres://${role}:${role}@`)
        const serving = {
          ...environment,
          DATABASE_URL: asRole(owned),
          CELLS: asRole(environment.CELLS ?? "")
        }
        const server = yield* serverProcess(serving)
        for (let count = 0; count < 2; count += 1) {
          const merchant = yield* merchantWithConsumer(server)
          const refund = yield* request(server, refunding(merchant, yield* paid(server, merchant, 10), "once", 1))
          assert.strictEqual(refund.status, 201, refund.text)
        }
        const doctor = yield* Effect.promise(() => runHere(["doctor"], serving))
        assert.include(doctor.stdout, `${role} has the rights that serving needs, and no others.`)
      }).pipe(Effect.scoped),
    timeoutMillis
  )

  it.effect(
    "does not start while the settings and the directory differ",
    () =>
      Effect.gen(function* () {
        const { environment } = yield* CellServer
        const cells: ReadonlyArray<object> = JSON.parse(environment.CELLS ?? "[]")
        const started = (list: ReadonlyArray<object>) =>
          Effect.promise(() => runHere(["verify"], { ...environment, CELLS: JSON.stringify(list) }))
        const without = yield* started(cells.slice(0, 1))
        assert.strictEqual(without.code, 1)
        assert.include(without.stderr, 'The directory has cells that CELLS does not name: "west".')
        const [east, west] = cells
        const swapped = yield* started([
          { ...west, name: "east" },
          { ...east, name: "west" }
        ])
        assert.strictEqual(swapped.code, 1)
        // The two cells' databases are swapped, and either cell may be checked first, so the error may name either.
        assert.match(
          swapped.stderr,
          /Surety cannot use the cell "(?:east": Its url and schema point to the database of the cell "west|west": Its url and schema point to the database of the cell "east)"\./
        )
        const more = yield* started([...cells, { ...cells[1], name: "north", schema: "cell_north" }])
        assert.include(
          more.stderr,
          'CELLS names cells that the directory does not have: "north". Run surety cells add.'
        )
        const turned = yield* started([...cells].reverse())
        assert.include(turned.stderr, '"east" is the home cell')
      }),
    timeoutMillis
  )
})
