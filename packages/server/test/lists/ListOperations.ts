import { Api } from "@surety/http/Api"
import { OpenApi } from "effect/http-api"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly enum?: ReadonlyArray<string> }
}

/** A list in the API's definition: any `GET` that takes `limit`. */
export interface ListOperation {
  readonly path: string
  /** Parameters that filter or order rows, with their possible values if the definition enumerates them. */
  readonly filters: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<string> | undefined }>
}

const paging = ["limit", "cursor"]

export const lists: ReadonlyArray<ListOperation> = Object.entries(OpenApi.fromApi(Api).paths).flatMap(
  ([path, { get }]) => {
    const parameters = (get?.parameters ?? []) as unknown as ReadonlyArray<Parameter>
    const query = parameters.filter((parameter) => parameter.in === "query")
    if (!query.some(({ name }) => name === "limit")) return []
    const filters = query.filter(({ name }) => !paging.includes(name))
    return [{ path, filters: filters.map(({ name, schema }) => ({ name, values: schema.enum })) }]
  }
)

/** Maximum number of filters to combine in a list that has more than `manyFilters`. */
const togetherAtMost = 1
const manyFilters = 4

/** Maximum number of values to try per parameter. */
const valuesAtMost = 12

/**
 * Returns every combination of the filters' first `valuesAtMost` values. Each filter is optional. With more than
 * `manyFilters` filters, no combination has more than `togetherAtMost` of them.
 */
export const combinations = (
  { filters, path }: ListOperation,
  known: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<Readonly<Record<string, string>>> => {
  const together = filters.length > manyFilters ? togetherAtMost : filters.length
  return filters.reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (all, { name, values = known[name] }) => {
      if (values === undefined) throw new Error(`Say in this test what values the filter ${name} of ${path} has`)
      const chosenOnes = all.filter((chosen) => Object.keys(chosen).length < together)
      return all.concat(
        chosenOnes.flatMap((chosen) => values.slice(0, valuesAtMost).map((value) => ({ ...chosen, [name]: value })))
      )
    },
    [{}]
  )
}
