import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"

/** Why a text is not what was expected: a code of the tables and a sentence for the caller. */
export interface TextFault {
  readonly code: string
  readonly detail: string
}

/** A schema issue that keeps the fault's code, so that the problem can say it. */
export const issueOf = ({ code, detail }: TextFault): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue({ message: detail, code })

/**
 * A field that is sent as text and understood by `parse`, which may read `Context.Reference`s. Written back as it was
 * understood.
 */
export const parsedText = <A extends string>(
  source: Schema.Codec<string>,
  target: Schema.Codec<A, string>,
  parse: (text: string) => Effect.Effect<Result.Result<A, TextFault>>
) =>
  source.pipe(
    Schema.decodeTo(Schema.toType(target), {
      decode: SchemaGetter.transformEffect((text: string) =>
        Effect.flatMap(parse(text), (parsed) =>
          Result.isSuccess(parsed) ? Effect.succeed(parsed.success) : Effect.fail(issueOf(parsed.failure))
        )
      ),
      encode: SchemaGetter.transform((value: A): string => value)
    })
  )
