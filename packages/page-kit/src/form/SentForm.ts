import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, UrlParams } from "effect/http"

/** Size limit of a form. Our forms contain only a page's fields and the form's token. */
const longestForm = ByteSize.fromInputUnsafe(16 * 1024)

/** A submitted form, in which names may repeat. */
export interface SentForm {
  readonly first: (name: string) => string | undefined
  readonly all: (name: string) => ReadonlyArray<string>
  /** Field names without duplicates, in form order. */
  readonly names: ReadonlyArray<string>
}

/**
 * Reads a submitted form. Fails if it exceeds 16 KiB or is unreadable. Does not check the origin: use a `FormGuard`.
 */
export const readSentForm = (request: HttpServerRequest.HttpServerRequest) =>
  request.urlParamsBody.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, longestForm),
    Effect.map(
      (params): SentForm => ({
        first: (name) => UrlParams.getAll(params, name)[0],
        all: (name) => UrlParams.getAll(params, name),
        names: [...new Set([...params].map(([name]) => name))]
      })
    )
  )
