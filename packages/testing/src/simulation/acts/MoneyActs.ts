import { NGN } from "@surety/core/Currency"
import { PaymentId } from "@surety/core/Ids"
import { isOf } from "@surety/core/memory/MemoryState"
import { Payments } from "@surety/core/payment/Payments"
import { canonicalRefund, type RefundCommand } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect } from "effect"
import { type Act, callAs, commandDraw, copiesOf, keyOf, nameOfScope, personOf, type Scene, scopeOf } from "./Scene.js"

export const pay = (scene: Scene, act: Act): void => {
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const person = personOf(scene, scope, draw)
  const isSettled = draw.chance(0.6)
  const method = draw.chance(0.9) ? "WALLET" : "CARD"
  const minor = BigInt(draw.pick([1, 10, 100]))
  // The host chooses the payment's id, so a repeated report creates no second payment.
  const id = PaymentId.make(`payment_${act.label.replace(" ", "-")}`)
  callAs(scene, {
    act,
    does: `reports a payment of ${minor} to ${nameOfScope(scene, scope)}${isSettled ? "" : ", not settled"}`,
    call: Effect.flatMap(Payments, (payments) =>
      payments.record({
        scope,
        id,
        amount: { currency: NGN, minor },
        method,
        serviceId: person.serviceId,
        settled: isSettled
      })
    ),
    repeats: 2
  })
}

export const settle = (scene: Scene, act: Act): void => {
  const pending = [...scene.world.state.payments.values()].filter(({ status }) => status === "PENDING")
  if (pending.length === 0) return
  const payment = act.draw.pick(pending)
  callAs(scene, {
    act,
    does: `settles ${scene.world.nameOf(payment.id)}`,
    call: Effect.flatMap(Payments, (payments) => payments.settle(payment, payment.id)),
    repeats: 2
  })
}

export const refund = (scene: Scene, act: Act): void => {
  const { book, world } = scene
  const { draw } = act
  const scope = scopeOf(scene, draw)
  const key = keyOf(scene, "refund", draw)
  const wanted = commandDraw(scene, scope, key, act)
  const payments = [...world.state.payments.values()].filter((payment) => isOf(scope, payment))
  const payment = wanted.pick(payments.slice(0, 2 + wanted.below(4)))
  const amountMinor = wanted.pick([
    undefined,
    1n,
    payment.amount.minor / 2n,
    payment.amount.minor - 1n,
    payment.amount.minor
  ])
  const command: RefundCommand = {
    paymentId: payment.id,
    reference: undefined,
    currency: payment.amount.currency,
    amountMinor: amountMinor === 0n ? undefined : amountMinor,
    reason: undefined,
    merchantReference: undefined,
    items: undefined
  }
  const call = Effect.flatMap(Refunds, (refunds) => refunds.create(scope, key, command))
  for (const copy of copiesOf(act)) {
    callAs(scene, {
      act: copy,
      does: `refunds ${command.amountMinor ?? "all"} of ${world.nameOf(payment.id)} by ${key}`,
      call,
      repeats: draw.pick([0, 2, 5]),
      onSuccess: ({ refund: record, response }) => {
        book.own(scope, record, record.id)
        book.accepted(scope, {
          key,
          command: canonicalRefund(command),
          response,
          madeAt: record.createdAt,
          isKeptForEver: true
        })
      },
      onRefusal: (error) => {
        const isReused = error._tag === "IdempotencyKeyReused" || error._tag === "IdempotencyInProgress"
        const holds = [...world.state.refunds.values()].some(
          (stored) => stored.idempotencyKey === key && isOf(scope, stored.refund)
        )
        world.require(!isReused || holds, "refusals_are_true", () => `${key} was called used and no refund has it`)
      }
    })
  }
}

/** Three refunds are requested at the same time, so that they may contend for a settlement account. */
export const rush = (scene: Scene, act: Act): void => {
  for (const part of [1, 2, 3]) {
    const label = `${act.label} part ${part}`
    refund(scene, { label, draw: scene.world.draw(label) })
  }
}
