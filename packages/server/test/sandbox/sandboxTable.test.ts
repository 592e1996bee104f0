import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { GrantStatus } from "@surety/core/consent/grant/Grant"
import { NotApproved } from "@surety/core/consent/read/IdentityRecord"
import { DataRequestStatus } from "@surety/core/consent/request/DataRequest"
import { DeliveryStatus } from "@surety/core/event/Delivery"
import { topics as knownTopics } from "@surety/core/event/DomainEvent"
import { Verification, VerificationStatus } from "@surety/core/kyc/verification/Verification"
import { RefundStatus } from "@surety/core/refund/Refund"
import { Api } from "@surety/http/Api"
import { codesOf } from "@surety/http/docs/OperationProblems"
import { type ProblemCode, problemCodes } from "@surety/http/problem/ProblemCode"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpApi } from "effect/http-api"
import { expect } from "vitest"
import { root } from "../docs/Fence.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"
import { everywhere, notByKey, ofConsent, ofEventsAndHelpers, ofKyc, ofRefunds, topicsNotByKey } from "./codeRecipes.js"
import {
  consentStatuses,
  holderActions,
  kycStatuses,
  notApproved,
  optInTopics,
  refundStatuses,
  topics,
  webhookStatuses
} from "./outcomeRecipes.js"
import type { Kind, Recipe } from "./Recipe.js"
import { Scene } from "./Scene.js"

class Running extends Context.Service<Running, ServerProcess>()("@surety/server/test/sandbox/Running") {}

const running = Layer.effect(
  Running,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    return yield* serverProcess({
      DATABASE_URL: Redacted.value(url),
      SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      LOG_LEVEL: "warning",
      // Keeps the documented burst, at a rate too low to refill it during the test, even on a slow machine.
      RATE_LIMIT_REFUNDS: "1"
    })
  })
).pipe(Layer.provide(MigratedDatabase.layer))

const documentedCodes = (): ReadonlySet<ProblemCode> => {
  const codes = new Set<ProblemCode>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (endpoint.path.startsWith("/v1/")) for (const known of codesOf(endpoint)) codes.add(known)
    }
  })
  return codes
}

/** True if a verification can require an action from the holder of the number. */
const asksHolders = Object.hasOwn(Verification.fields, "nextAction")

const isTopic = (name: string): boolean => knownTopics.some((topic) => topic === name)

const sections: ReadonlyArray<{ readonly title: string; readonly recipes: ReadonlyArray<Recipe> }> = [
  { title: "Every route", recipes: everywhere },
  { title: "Refunds", recipes: [...refundStatuses, ...ofRefunds] },
  { title: "Consent", recipes: [...consentStatuses, ...notApproved, ...ofConsent] },
  { title: "KYC", recipes: [...kycStatuses, ...(asksHolders ? holderActions : []), ...ofKyc] },
  { title: "Events and webhooks", recipes: [...topics, ...optInTopics, ...webhookStatuses].filter(isHere) },
  { title: "Events, payments and the test helpers", recipes: ofEventsAndHelpers }
]

function isHere({ kind, makes }: Recipe): boolean {
  return kind !== "event" || isTopic(makes)
}

const all = sections.flatMap(({ recipes }) => recipes)

const madeOf = (kind: Kind): ReadonlySet<string> =>
  new Set(all.filter((recipe) => recipe.kind === kind).map(({ makes }) => makes))

const what = ({ kind, makes }: Recipe): string =>
  kind === "code"
    ? `\`${makes}\` (${Object.entries(problemCodes).find(([code]) => code === makes)?.[1].status})`
    : `${kind} \`${makes}\``

const table = (rows: ReadonlyArray<readonly [string, string]>, heading: string): string =>
  [`| ${heading} | how |`, "|---|---|", ...rows.map(([left, right]) => `| ${left} | ${right} |`)].join("\n")

const page = (): string => `# What the sandbox can make happen

Generated from the recipes that a test runs, each with a TEST key alone. The helpers are in [Testing](testing.md).

${sections
  .map(
    ({ recipes, title }) =>
      `## ${title}\n\n${table(
        recipes.map((one) => [what(one), one.how]),
        "what"
      )}\n`
  )
  .join("\n")}
## What a TEST key alone cannot make

${table(
  Object.entries({ ...notByKey, ...topicsNotByKey }).map(([makes, why]) => [`\`${makes}\``, why]),
  "what"
).replace("| how |", "| why |")}
`

layer(running, { timeout: 120_000, excludeTestServices: true })("The sandbox", (it) => {
  it.effect.each(all.map((recipe) => ({ ...recipe, name: `${recipe.kind} ${recipe.makes}: ${recipe.how}` })))(
    "makes $name",
    (recipe) =>
      Effect.gen(function* () {
        const { url } = yield* Running
        const made = yield* Effect.promise(async () => recipe.run(await Scene.make(url)))
        assert.strictEqual(made, recipe.makes)
      }),
    60_000
  )

  it.effect("has a way to every documented code, or the reason why it is missing", () =>
    Effect.sync(() => {
      const made = madeOf("code")
      const lacking = [...documentedCodes()].filter((known) => !made.has(known) && !Object.hasOwn(notByKey, known))
      assert.deepStrictEqual(lacking, [])
      assert.deepStrictEqual(
        Object.keys(notByKey).filter((name) => made.has(name)),
        []
      )
    })
  )

  it.effect("has a way to every status, reason and topic", () =>
    Effect.sync(() => {
      const lacking = (kind: Kind, names: ReadonlyArray<string>) => names.filter((name) => !madeOf(kind).has(name))
      assert.deepStrictEqual(lacking("refund", RefundStatus.literals), [])
      assert.deepStrictEqual(lacking("data request", DataRequestStatus.literals), [])
      assert.deepStrictEqual(lacking("grant", GrantStatus.literals), [])
      assert.deepStrictEqual(lacking("not approved", NotApproved.literals), [])
      assert.deepStrictEqual(
        lacking("verification", VerificationStatus.literals),
        asksHolders ? [] : ["REQUIRES_ACTION"]
      )
      assert.deepStrictEqual(lacking("delivery", DeliveryStatus.literals), [])
      assert.deepStrictEqual(lacking("event", knownTopics), Object.keys(topicsNotByKey))
    })
  )

  it.effect("is described by the page that merchants read", () =>
    Effect.promise(() => expect(page()).toMatchFileSnapshot(path.join(root, "docs/merchants/sandbox.md")))
  )
})
