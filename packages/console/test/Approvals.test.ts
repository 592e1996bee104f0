import { assert, describe, it } from "@effect/vitest"
import { NGN } from "@surety/core/Currency"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Approvals } from "@surety/core/operator/approval/Approvals"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { OperatorSessions } from "@surety/core/operator/session/OperatorSessions"
import { Refunds } from "@surety/core/refund/Refunds"
import { WalletUnavailable } from "@surety/core/refund/Wallet"
import { Effect } from "effect"
import { vi } from "vitest"
import * as Scene from "./support/Scene.js"
import { formsIn, visitor } from "./support/Visitor.js"
import { reason } from "./support/walking.js"

const warning = "has no token and no session now"

describe("A proposal of an operator who left", () => {
  it.live("says so for as long as they have neither a token nor a session, and another operator refuses it", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const { merchant } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const propose = (actor: string) =>
        scene.run(
          Effect.flatMap(Approvals, (approvals) =>
            approvals.propose(IdempotencyKey.make(`of-${actor}`), {
              environment: "LIVE",
              command: {
                _tag: "Transfer",
                kind: "FUNDING",
                amount: { currency: NGN, minor: 2_000_000n },
                merchantId: merchant.id
              },
              reason,
              actor
            })
          )
        )
      const left = yield* propose("tunde.left")
      const here = yield* propose("Ngozi.Eze")
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("money"))
      const pathOf = (id: string) => `/console/live/approvals/${id}`
      const textOf = (path: string) =>
        Effect.map(
          Effect.promise(() => browser.get(path)),
          ({ text }) => text
        )

      assert.include(yield* textOf(pathOf(left.proposal.id)), `tunde.left</bdi> ${warning}`)
      assert.notInclude(yield* textOf(pathOf(here.proposal.id)), warning)
      const list = yield* textOf("/console/live/approvals")
      assert.match(list, /tunde\.left<\/bdi> <span class="tag">has no token<\/span>/u)
      assert.strictEqual(list.match(/has no token/gu)?.length, 1)

      const { session } = yield* scene.run(
        Effect.flatMap(OperatorSessions, (sessions) =>
          sessions.open({ operator: "tunde.left", roles: ["money"], signedInBy: "OIDC" })
        )
      )
      assert.notInclude(yield* textOf(pathOf(left.proposal.id)), warning)
      yield* scene.run(Effect.flatMap(OperatorSessions, (sessions) => sessions.end(session.id, "admin", reason)))
      assert.include(yield* textOf(pathOf(left.proposal.id)), warning)

      const path = pathOf(left.proposal.id)
      const form = formsIn(path, yield* textOf(path)).find(({ fields }) => fields.form === "refuseTransfer")
      const refused = yield* Effect.promise(() => browser.post(path, { ...form?.fields, reason }))
      assert.strictEqual(refused.status, 303)
      const after = yield* textOf(path)
      assert.include(after, "Refused")
      assert.notInclude(after, warning)
    }).pipe(Effect.scoped)
  )
})

const minutes = (count: number): number => count * 60_000

describe("A transfer that was proposed because of what its operator moved before", () => {
  it.live("is not posted by the same form once that was a day ago: the proposal alone decides", () =>
    Effect.gen(function* () {
      vi.useFakeTimers({ toFake: ["Date"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
      const startedAt = Date.now()
      const scene = yield* Scene.make()
      const { merchant } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const path = "/console/live/ledger/post"
      const funding = { kind: "FUNDING", party: merchant.id, amount: "6,000.00", currency: "NGN", reason }
      const signedIn = Effect.gen(function* () {
        const browser = visitor(scene.handler)
        yield* Effect.promise(() => browser.signIn("money"))
        const { text } = yield* Effect.promise(() => browser.get(path))
        const form = formsIn(path, text).find(({ fields }) => fields.form === "post")
        return Effect.promise(() => browser.post(path, { ...form?.fields, ...funding }))
      })
      const proposals = scene.run(
        Effect.flatMap(Approvals, (approvals) => approvals.list("LIVE", "OPEN", { limit: 10, cursor: undefined }))
      )
      const transfers = scene.run(
        Effect.flatMap(OperatorActions, (actions) =>
          actions.list(
            {
              actor: "money",
              kind: "transfer.posted",
              target: undefined,
              merchantId: undefined,
              serviceId: undefined,
              since: undefined,
              until: undefined
            },
            { limit: 10, cursor: undefined }
          )
        )
      )
      assert.strictEqual((yield* yield* signedIn).status, 303)
      assert.lengthOf((yield* transfers).data, 1)
      vi.setSystemTime(startedAt + minutes(24 * 60 - 10))
      const send = yield* signedIn
      assert.strictEqual((yield* send).status, 303)
      assert.lengthOf((yield* proposals).data, 1)
      vi.setSystemTime(startedAt + minutes(24 * 60 + 10))
      assert.strictEqual((yield* send).status, 303)
      assert.lengthOf((yield* transfers).data, 1, "the first one only")
      assert.lengthOf((yield* proposals).data, 1)
    }).pipe(Effect.scoped)
  )
})

describe("A proposal to erase", () => {
  it.live("names the pending refund that stops it, and says so when it is approved all the same", () =>
    Effect.gen(function* () {
      let isWalletUp = true
      const scene = yield* Scene.make({ byToken: true }, undefined, {
        credit: () =>
          isWalletUp ? Effect.succeed({ _tag: "Credited" }) : Effect.fail(new WalletUnavailable({ cause: "down" }))
      })
      const { consumer, payment, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      isWalletUp = false
      yield* scene.run(
        Effect.flip(
          Effect.flatMap(Refunds, (refunds) =>
            refunds.create(scope, IdempotencyKey.make("during-the-outage"), {
              paymentId: payment.id,
              reference: undefined,
              currency: NGN,
              amountMinor: 50_000n,
              reason: undefined,
              merchantReference: undefined,
              items: undefined
            })
          )
        )
      )
      const { serviceId } = consumer
      const { proposal } = yield* scene.run(
        Effect.flatMap(Approvals, (approvals) =>
          approvals.propose(IdempotencyKey.make("erase"), {
            environment: "LIVE",
            command: { _tag: "Erasure", serviceId },
            reason,
            actor: "ada"
          })
        )
      )
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const path = `/console/live/approvals/${proposal.id}`
      const shown = yield* Effect.promise(() => browser.get(path))
      assert.include(shown.text, "A refund of theirs is pending.")
      const erase = yield* Effect.promise(() => browser.get(`/console/live/people/${serviceId}/erase`))
      assert.include(erase.text, "A refund of theirs is pending.")
      const form = formsIn(path, shown.text).find(({ fields }) => fields.form === "approveErasure")
      const answer = yield* Effect.promise(() => browser.post(path, { ...form?.fields, serviceId, reason }))
      assert.strictEqual(answer.status, 422)
      // The closed proposal no longer has a form to show the message, so an alert above the page shows it.
      assert.match(answer.text, /role="alert">.*The change was not made: a refund of theirs is pending/u)
      assert.notInclude(answer.text, "refunds_pending")
    }).pipe(Effect.scoped)
  )

  it.live("says to approve it again if the platform had begun to erase, and is then carried out", () =>
    Effect.gen(function* () {
      let isWalletUp = true
      let meanwhile: Effect.Effect<unknown> = Effect.void
      const wallet = {
        credit: () =>
          isWalletUp
            ? Effect.succeed({ _tag: "Credited" as const })
            : Effect.fail(new WalletUnavailable({ cause: "down" }))
      }
      const orders = { name: "orders", erase: () => Effect.asVoid(Effect.suspend(() => meanwhile)) }
      const scene = yield* Scene.make({ byToken: true }, undefined, wallet, [orders])
      const { consumer, payment, scope } = yield* scene.run(Scene.seed("LIVE", "Kemi Fabrics"))
      const { serviceId } = consumer
      const refund = Effect.flatMap(Refunds, (refunds) =>
        refunds.create(scope, IdempotencyKey.make("during-the-outage"), {
          paymentId: payment.id,
          reference: undefined,
          currency: NGN,
          amountMinor: 50_000n,
          reason: undefined,
          merchantReference: undefined,
          items: undefined
        })
      )
      // The refund begins while the platform erases, and stays pending.
      meanwhile = Effect.suspend(() => {
        isWalletUp = false
        return Effect.ignore(scene.run(refund))
      })
      const { proposal } = yield* scene.run(
        Effect.flatMap(Approvals, (approvals) =>
          approvals.propose(IdempotencyKey.make("erase"), {
            environment: "LIVE",
            command: { _tag: "Erasure", serviceId },
            reason,
            actor: "ada"
          })
        )
      )
      const browser = visitor(scene.handler)
      yield* Effect.promise(() => browser.signIn("admin"))
      const path = `/console/live/approvals/${proposal.id}`
      const approve = Effect.promise(async () => {
        const form = formsIn(path, (await browser.get(path)).text).find(
          ({ fields }) => fields.form === "approveErasure"
        )
        return browser.post(path, { ...form?.fields, serviceId, reason })
      })
      const answer = yield* approve
      assert.strictEqual(answer.status, 422)
      assert.match(answer.text, /a refund of theirs is pending.*approve it again once the refund has ended/iu)
      assert.notInclude(answer.text, "propose it again")
      assert.notInclude(answer.text, "The change was not made")
      meanwhile = Effect.void
      isWalletUp = true
      yield* scene.run(refund)
      const done = yield* approve
      assert.strictEqual(done.status, 303)
      assert.include((yield* Effect.promise(() => browser.get(path))).text, "Approved")
    }).pipe(Effect.scoped)
  )
})
