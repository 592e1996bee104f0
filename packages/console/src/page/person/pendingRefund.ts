import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { PersonLog } from "@surety/core/person/PersonLog"
import type { Refund } from "@surety/core/refund/Refund"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Option } from "effect"
import { note } from "../../screen/parts.js"
import type { PageView } from "../ConsolePage.js"
import { countedTo } from "./personRecord.js"

/**
 * Finds a pending refund of the person, which blocks their erasure. Searches only the newest `countedTo` refunds of the
 * person's newest `countedTo` payments, so it may miss a pending refund.
 */
export const pendingRefund = Effect.fnUntraced(function* ({ environment }: PageView, serviceId: ConsumerId) {
  const held = yield* (yield* PersonLog).holdings(environment, serviceId, countedTo)
  return Option.getOrUndefined(held)?.refunds.find(({ status }) => status === "PENDING")
})

export const pendingRefundNote = (view: PageView, refund: Refund | undefined): Html | false =>
  refund !== undefined &&
  note(
    "bad",
    html`<b>A refund of theirs is pending.</b> Until it ends, the erasure is refused. <a href="${view.href(`refunds/${refund.id}`)}">Open the refund</a>`
  )
