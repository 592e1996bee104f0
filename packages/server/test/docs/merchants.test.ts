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
import { typeErrors } from "./typeErrors.js"

const patience = 400_000

const pages = readdirSync(path.join(root, "docs/merchants")).map((file) => `docs/merchants/${file}`)

const check = ({ fence, printed }: Comparison): void => {
  const steady = fence.language === "json" ? steadyJson : steadyText
  assert.deepStrictEqual(steady(printed), steady(fence.code), placeOf(fence))
}

const submission = ({ id, kind }: SandboxRow): string => `
  curl -sS -X POST $BASE/v1/kyc/verifications -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: ${kind} ${id}' \\
    -H 'Content-Type: application/json' \\
    -d "{\\"service_id\\":\\"$SERVICE_ID\\",\\"kind\\":\\"${kind}\\",\\"id\\":\\"${id}\\",\\"verification_consent\\":true}"`

layer(Desk.layer, { timeout: patience, excludeTestServices: true })("The merchants' pages", (it) => {
  it.effect("show in the quick start what is answered", () =>
    Effect.gen(function* () {
      const { quickStart } = yield* MerchantDesk
      assert.isAtLeast(quickStart.comparisons.length, 6)
      for (const comparison of quickStart.comparisons) check(comparison)
      assert.strictEqual(quickStart.typeErrors, "")
    })
  )

  it.effect.each(pages.filter((page) => page !== Desk.quickStart))(
    "show in %s what happens",
    (page) =>
      Effect.gen(function* () {
        const { terminal } = yield* MerchantDesk
        const { directory, shell } = terminal(page)
        yield* followPage(page, shell, check)
        assert.strictEqual(yield* typeErrors(directory), "")
      }).pipe(Effect.scoped),
    patience
  )

  it.effect(
    "list how each of the sandbox's numbers ends",
    () =>
      Effect.gen(function* () {
        const { terminal } = yield* MerchantDesk
        const { shell } = terminal("sandbox-values")
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
