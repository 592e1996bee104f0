import type { OpenApi } from "effect/http-api"

export type Audience = "merchant" | "operator"

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly tags?: ReadonlyArray<string>
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The part of the document that differs by audience. */
interface Divided {
  readonly info: { readonly title: string }
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Json
  readonly components: Readonly<Record<string, Json>>
}

/**
 * True if the operation belongs to the audience. Operations that accept an API key or no credential are for merchants.
 * Operations that accept an operator token are for operators. Some belong to both.
 */
const isFor = (audience: Audience, { security }: Operation): boolean =>
  security.some((scheme) =>
    audience === "operator" ? "operatorToken" in scheme : "apiKey" in scheme || Object.keys(scheme).length === 0
  )

const filtered = <A>(record: Readonly<Record<string, A>>, keep: (value: A, key: string) => boolean) =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => keep(value, key)))

const reference = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g

/**
 * Returns the components, as `kind/name`, that a part of the document refers to, directly or through other components.
 */
const reached = (part: unknown, components: Divided["components"]): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(value).matchAll(reference)) {
      if (found.has(`${kind}/${name}`)) continue
      found.add(`${kind}/${name}`)
      visit(components[kind]?.[name] ?? {})
    }
  }
  visit(part)
  return found
}

const titles: Readonly<Record<Audience, string>> = { merchant: "for merchants", operator: "for operators" }

const divide = (document: Divided, audience: Audience) => {
  const paths = filtered(
    Object.fromEntries(
      Object.entries(document.paths).map(([path, methods]) => [
        path,
        filtered(methods, (each) => isFor(audience, each))
      ])
    ),
    (methods) => Object.keys(methods).length > 0
  )
  const webhooks = audience === "merchant" ? document.webhooks : {}
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const tags = new Set(operations.flatMap((operation) => operation.tags ?? []))
  const schemes = new Set(operations.flatMap(({ security }) => security.flatMap((scheme) => Object.keys(scheme))))
  const used = reached([paths, webhooks], document.components)
  const components = Object.fromEntries(
    Object.entries(document.components).map(([kind, entries]) => [
      kind,
      filtered(entries, (_, name) => (kind === "securitySchemes" ? schemes.has(name) : used.has(`${kind}/${name}`)))
    ])
  )
  return {
    ...document,
    info: { ...document.info, title: `${document.info.title}, ${titles[audience]}` },
    tags: document.tags.filter(({ name }) => tags.has(name)),
    paths,
    webhooks,
    components
  }
}

/**
 * Returns the part of the OpenAPI document that an audience can call, with the components that this part needs. The
 * merchants' part also has the webhooks. Operations for both audiences, such as provisioning, are in both parts.
 */
export const documentFor = (document: OpenApi.OpenAPISpec, audience: Audience): OpenApi.OpenAPISpec => {
  const whole: Divided = JSON.parse(JSON.stringify(document))
  return JSON.parse(JSON.stringify(divide(whole, audience)))
}
