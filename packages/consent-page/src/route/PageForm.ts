import { guardField } from "@surety/page-kit/form/FormGuard"
import { readSentForm } from "@surety/page-kit/form/SentForm"
import { Effect } from "effect"
import { formStale } from "./answering.js"
import type { PageKit, Visited } from "./PageKit.js"

/** Reads a form, and fails unless it comes from a page that this browser got for this link. */
export const readPageForm = Effect.fnUntraced(function* (kit: PageKit, { link, request }: Visited) {
  const form = yield* Effect.mapError(readSentForm(request), () => formStale)
  return (yield* kit.guard.isGenuine(request, form.first(guardField), link)) ? form : yield* Effect.fail(formStale)
})
