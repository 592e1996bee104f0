import { NGN } from "@surety/core/Currency"
import { PaymentId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { isOf } from "@surety/core/memory/MemoryState"
import { Payments } from "@surety/core/payment/Payments"
import { canonicalRefund, type RefundCommand } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect } from "effect"
import { type Act, ask, nameOfScope, personOf, type Scene } from "./Scene.js"

/** Few, so that many calls have the same. */
const keyOf = (draw: Act["draw"], kind: string): IdempotencyKey => IdempotencyKey.make(`${kind}-${draw.below(5)}`)

export const pay = (scene: Scene, act: Act): void => {
  const { draw } = act
  const scope = draw.pick(scene.scopes)
  const person = personOf(scene, scope, draw)
  const isSettled = draw.chance(0.6)
  const method = draw.chance(0.9) ? "WALLET" : "CARD"
  const minor = BigInt(draw.pick([1, 10, 100]))
  // A payment has a host's own id, so that repeating the report makes no second one.
  const id = PaymentId.make(`payment_${act.label.replace(" ", "-")}`)
  ask(scene, {
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
  ask(scene, {
    act,
    does: `settles ${scene.world.nameOf(payment.id)}`,
    call: Effect.flatMap(Payments, (payments) => payments.settle(payment, payment.id)),
    repeats: 2
  })
}

export const refund = (scene: Scene, act: Act): void => {
  const { book, world } = scene
  const { draw } = act
  const scope = draw.pick(scene.scopes)
  const payments = [...world.state.payments.values()].filter((payment) => isOf(scope, payment))
  const payment = draw.pick(payments)
  const key = keyOf(draw, "refund")
  const amountMinor = draw.pick([undefined, 1n, payment.amount.minor / 2n, payment.amount.minor - 1n])
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
  ask(scene, {
    act,
    does: `refunds ${command.amountMinor ?? "all"} of ${world.nameOf(payment.id)} by ${key}`,
    call,
    repeats: draw.pick([0, 2, 5]),
    onSuccess: ({ response }) => book.accepted(scope, key, canonicalRefund(command), response, true)
  })
}
