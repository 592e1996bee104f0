import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Currency from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { freePort } from "@surety/testing/machine/FreePort"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { directoryBody } from "@surety/webhooks/hook/DirectoryHook"
import { creditBody } from "@surety/webhooks/hook/WalletHook"
import { Effect } from "effect"
import { fencesIn, placeOf, root, textOf } from "../docs/Fence.js"
import { followPage } from "../docs/followPage.js"
import { brokenLinks, missingInIndex } from "../docs/Links.js"
import { makeShell } from "../docs/Shell.js"
import { steadyText } from "../docs/Shown.js"
import { stepsIn } from "../docs/Step.js"
import { servingRole } from "../support/servingRole.js"

const patience = 400_000
const main = path.join(root, "packages/server/dist/published/main.js")
const hooks = "docs/platform/hooks.md"

const pages = readdirSync(path.join(root, "docs/platform"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/platform/${file}`)

/** Pages whose blocks are run by the tests of the command line and of the settings. */
const readElsewhere = ["data-protection.md", "kyc.md", "kyc-vendors.md", "operator.md"]

const shownJson = (name: string): unknown => {
  const fence = fencesIn(hooks, textOf(hooks)).find(({ words }) => words[1] === name)
  return JSON.parse(fence?.code ?? assert.fail(`${hooks} shows no ${name}`))
}

const person = {
  environment: "LIVE",
  userId: UserId.make("user_01m7ztwz6bek1s2brwmm3gb1yy"),
  serviceId: ConsumerId.make("SR1-TEST-2345-3")
} as const

describe("The pages for platforms", () => {
  it("are all in their index, and name no file or heading that is missing", () => {
    assert.deepStrictEqual(missingInIndex("docs/platform", pages), [])
    assert.deepStrictEqual(pages.flatMap(brokenLinks), [])
  })

  it("say of every block how it is tested, where no other test reads the page", () => {
    const read = pages.filter((page) => !readElsewhere.includes(path.posix.basename(page)))
    assert.isAbove(read.flatMap((page) => stepsIn(page, textOf(page))).length, 8)
  })

  it("show the bodies that are sent", () => {
    const id = "01m7ztwz6bek1s2brwmm3gb1yy"
    const credit = creditBody(
      {
        refundId: RefundId.make(`refund_${id}`),
        scope: { merchantId: MerchantId.make(`merchant_${id}`), environment: "LIVE" },
        paymentId: PaymentId.make(`payment_${id}`),
        userId: person.userId,
        serviceId: person.serviceId,
        amount: { currency: Currency.NGN, minor: 100_050n }
      },
      "customer-1"
    )
    assert.strictEqual(JSON.stringify(credit), JSON.stringify(shownJson("wallet-credit.json")))
    const read = directoryBody(person, "customer-1", ["display_name", "city"])
    assert.strictEqual(JSON.stringify(read), JSON.stringify(shownJson("directory-read.json")))
  })

  it.live(
    "show what the doctor says of a platform on plain Node",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const secretsKey = randomBytes(32).toString("base64")
        const serving = yield* servingRole(url, secretsKey)
        const directory = mkdtempSync(path.join(tmpdir(), "surety-hooks-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
        const port = String(yield* Effect.promise(freePort))
        const shell = makeShell(directory, {
          arrive: (text) => text.replaceAll(/\b4100\b/g, port).replace("examples/", `${root}/examples/`),
          show: (text) => text.replaceAll(port, "4100").replaceAll(serving.role, "surety_server")
        })
        yield* shell.run(
          `surety() { node ${main} "$@"; }\nexport SECRETS_KEY=${secretsKey} LOG_LEVEL=warning\n` +
            `export DATABASE_URL=${serving.url}`
        )
        yield* followPage(hooks, shell, ({ fence, printed }) =>
          assert.strictEqual(steadyText(printed), steadyText(fence.code), placeOf(fence))
        )
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )
})
