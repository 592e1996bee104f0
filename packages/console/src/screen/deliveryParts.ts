import type { Delivery, DeliveryAttempt } from "@surety/core/event/Delivery"
import { type Html, html } from "@surety/page-kit/Html"
import { plainText } from "@surety/page-kit/shownText"
import type { PageView } from "../page/ConsolePage.js"
import { state, type TimelineMoment, type Tone } from "./parts.js"

export const deliveryState = ({ status }: Pick<Delivery, "status">): readonly [Tone, string] => {
  if (status === "DELIVERED") return ["ok", "Delivered"]
  return status === "FAILED" ? ["bad", "Failed"] : ["wait", "Pending"]
}

export const deliveryCell = (delivery: Pick<Delivery, "status">): Html => state(...deliveryState(delivery))

export const isTaken = ({ responseStatus }: DeliveryAttempt): boolean =>
  responseStatus !== undefined && responseStatus >= 200 && responseStatus < 300

export const answerWords = (attempt: DeliveryAttempt): Html =>
  html`<b class="${isTaken(attempt) ? "ok" : "bad"} t">${attempt.responseStatus ?? attempt.error ?? "no response"}</b> <span class="soft">${attempt.durationMillis} ms</span>`

export const attemptMoment = (view: PageView, delivery: Delivery, attempt: DeliveryAttempt): TimelineMoment => ({
  at: attempt.startedAt,
  tone: isTaken(attempt) ? "ok" : "bad",
  icon: isTaken(attempt) ? "check" : "x",
  body: html`<p><b>${isTaken(attempt) ? "Delivered" : "Rejected"}</b> by <a href="${view.href(`endpoints/${delivery.endpointId}`)}">the endpoint</a>: ${answerWords(attempt)}, attempt ${attempt.number}</p>${attempt.responseBody !== undefined && attempt.responseBody !== "" && html`<details class="d"><summary>Response body</summary><pre>${plainText(attempt.responseBody, 1000)}</pre></details>`}`
})
