import type { Delivery, DeliveryAttempt } from "@surety/core/event/Delivery"
import { html } from "@surety/page-kit/Html"
import { plainText } from "@surety/page-kit/shownText"
import { type Columns, merchantColumn, type Shown, timeColumn } from "../screen/columns.js"
import { answerWords, deliveryCell, isTaken } from "../screen/deliveryParts.js"
import { idOf } from "../screen/parts.js"

export const deliveryColumns = ({ names, view }: Shown) =>
  ({
    event: {
      head: "Event",
      kind: "key",
      cell: ({ eventId }) => html`<a href="${view.href(`events/${eventId}`)}">${idOf(eventId)}</a>`,
      file: [["event_id", ({ eventId }) => eventId]]
    },
    endpoint: {
      head: "Endpoint",
      kind: "wide",
      cell: ({ endpointId }) => html`<a href="${view.href(`endpoints/${endpointId}`)}">${idOf(endpointId)}</a>`,
      file: [["endpoint_id", ({ endpointId }) => endpointId]]
    },
    merchant: merchantColumn({ names, view }),
    state: { head: "State", cell: deliveryCell, file: [["status", ({ status }) => status]] },
    attempts: {
      head: "Attempts",
      kind: "num",
      cell: ({ attempts }) => attempts,
      label: "attempts",
      file: [["attempts", ({ attempts }) => attempts]]
    },
    next: timeColumn(view, "Next", "nextAttemptAt", "next"),
    createdAt: timeColumn(view, "Created", "createdAt")
  }) satisfies Columns<Delivery>

export const attemptColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    delivery: { file: [["delivery_id", ({ deliveryId }) => deliveryId]] },
    attempt: {
      head: "Attempt",
      kind: "num",
      cell: ({ number }) => number,
      label: "attempt",
      file: [["attempt", ({ number }) => number]]
    },
    startedAt: timeColumn(view, "Time", "startedAt"),
    said: {
      head: "Response body",
      kind: "cut",
      cell: (attempt) =>
        !isTaken(attempt) &&
        attempt.responseBody !== undefined &&
        attempt.responseBody !== "" &&
        html`<span class="soft">${plainText(attempt.responseBody, 160)}</span>`,
      notInFile: "it may have anything"
    },
    answer: {
      head: "Response",
      kind: "key",
      cell: answerWords,
      file: [
        ["duration_millis", ({ durationMillis }) => durationMillis],
        ["response_status", ({ responseStatus }) => responseStatus],
        ["error", ({ error }) => error]
      ]
    }
  }) satisfies Columns<DeliveryAttempt>
