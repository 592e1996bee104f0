import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, UrlParams } from "effect/http"
import { guardField } from "../visit/FormGuard.js"
import { formStale } from "./answering.js"
import type { PageKit, Visited } from "./PageKit.js"

/** Our forms are small: 32 fields of at most 64 characters, and the form's token. */
const longestForm = ByteSize.fromInputUnsafe(16 * 1024)

/** A submitted form: names may repeat. */
export interface PageForm {
  readonly first: (name: string) => string | undefined
  readonly all: (name: string) => ReadonlyArray<string>
}

/** Reads a form, and fails unless it comes from a page that this browser got for this link. */
export const readPageForm = Effect.fnUntraced(function* (kit: PageKit, { link, request }: Visited) {
  const params = yield* request.urlParamsBody.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, longestForm),
    Effect.mapError(() => formStale)
  )
  const form: PageForm = {
    first: (name) => UrlParams.getAll(params, name)[0],
    all: (name) => UrlParams.getAll(params, name)
  }
  return (yield* kit.guard.isGenuine(request, form.first(guardField), link)) ? form : yield* Effect.fail(formStale)
})
