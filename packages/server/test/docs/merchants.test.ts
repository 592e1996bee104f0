import { readdirSync } from "node:fs"
import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { placeOf, root } from "./Fence.js"
import { type Comparison, followPage } from "./followPage.js"
import * as Desk from "./MerchantDesk.js"
import { MerchantDesk } from "./MerchantDesk.js"
import { type SandboxRow, sandboxRows } from "./SandboxTable.js"
import { steadyJson, steadyText } from "./Shown.js"

const patience = 400_000

const pages = readdirSync(path.join(root, "docs/merchants")).map((file) => `docs/merchants/${file}`)

const check = ({ fence, printed }: Comparison): void => {
  const steady = fence.language === "json" ? steadyJson : steadyText
  assert.deepStrictEqual(steady(printed), steady(fence.code), placeOf(fence))
}

const submission = ({ acts = "", id, kind }: SandboxRow): string => `
  curl -sS -X POST $BASE/v1/kyc/verifications -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: ${kind} ${id} ${acts}' \\
    -H 'Content-Type: application/json' \\
    -d "{\\"service_id\\":\\"$SERVICE_ID\\",\\"kind\\":\\"${kind}\\",\\"id\\":\\"${id}\\",\\"verification_consent\\":true}"`

const sendCode = (reference: string, code: string): string => `
  curl -sS -X POST $BASE/v1/kyc/verifications/${reference}/code -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"code":"${code}"}'`

const onPage = (url: string, decision: string): string => `
  curl -sS -c cookies.txt '${url}' | grep -oE 'name="guard" value="[^"]+"' | cut -d '"' -f 4 > guard.txt
  curl -sS -o page.html -b cookies.txt --data-urlencode "guard=$(cat guard.txt)" -d decision=${decision} '${url}'`

interface Submitted {
  readonly reference: string
  readonly nextAction?: { readonly url: string }
}

/** Commands for the person's actions, keyed by the page's wording. */
const acting: Readonly<Record<string, (submitted: Submitted) => ReadonlyArray<string>>> = {
  "with the right code": ({ reference }) => [sendCode(reference, "000000"), sendCode(reference, "123456")],
  "with three wrong codes": ({ reference }) => ["1", "2", "3"].map((code) => sendCode(reference, code)),
  "once the person agrees": ({ nextAction }) => [onPage(nextAction?.url ?? "", "agree")],
  "once the person refuses": ({ nextAction }) => [onPage(nextAction?.url ?? "", "refuse")]
}

layer(Desk.layer, { timeout: patience, excludeTestServices: true })("The merchants' pages", (it) => {
  it.effect("show in the quick start what is answered", () =>
    Effect.gen(function* () {
      const { quickStart } = yield* MerchantDesk
      assert.isAtLeast(quickStart.length, 6)
      for (const comparison of quickStart) check(comparison)
    })
  )

  it.effect.each(pages.filter((page) => page !== Desk.quickStart))(
    "show in %s what happens",
    (page) =>
      Effect.gen(function* () {
        const { terminal } = yield* MerchantDesk
        yield* followPage(page, terminal(page), check)
      }).pipe(Effect.scoped),
    patience
  )

  it.effect("show programs that compile", () =>
    Effect.gen(function* () {
      const { typeErrors } = yield* MerchantDesk
      assert.strictEqual(yield* typeErrors, "")
    })
  )

  it.effect(
    "list how each of the sandbox's numbers ends",
    () =>
      Effect.gen(function* () {
        const { terminal } = yield* MerchantDesk
        const shell = terminal("sandbox-values")
        const rows = sandboxRows()
        assert.deepStrictEqual([...new Set(rows.map(({ kind }) => kind))].toSorted(), [
          ...["bvn", "nin", "nin_phone", "phone", "vnin"]
        ])
        const submitted = yield* Effect.forEach(rows, (row) =>
          Effect.map(shell.run(submission(row)), (answer) => ({ row, answered: JSON.parse(answer) }))
        )
        for (const { answered, row } of submitted) {
          assert.strictEqual(answered.status, row.statuses[0], `${row.kind} ${row.id}`)
          const reason = row.statuses.length > 1 ? undefined : row.failureReason
          assert.strictEqual(answered.failureReason, reason, `${row.kind} ${row.id}`)
        }
        for (const { answered, row } of submitted) {
          if (row.acts === undefined) continue
          const steps = acting[row.acts] ?? assert.fail(`no recipe for the action: ${row.acts}`)
          yield* Effect.forEach(steps(answered), (step) => shell.run(step))
        }
        const late = submitted.filter(({ row }) => row.statuses.length > 1)
        assert.isAtLeast(late.length, 4)
        for (const { answered, row } of late) {
          const look = `curl -sS $BASE/v1/kyc/verifications/${answered.reference} -H "Authorization: Bearer $KEY"`
          const ended = JSON.parse(yield* shell.run(`until ${look} | grep -v PENDING; do sleep 0.2; done`))
          assert.strictEqual(ended.status, row.statuses[1], `${row.kind} ${row.id}`)
          assert.strictEqual(ended.failureReason, row.failureReason, `${row.kind} ${row.id}`)
        }
      }),
    patience
  )
})
