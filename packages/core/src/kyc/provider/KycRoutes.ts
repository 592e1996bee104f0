import { Result } from "effect"
import { VerificationKind } from "../verification/Verification.js"

/**
 * Names of the LIVE providers for each kind, in the order they are tried. A kind without providers cannot be verified.
 * A `vnin` goes only to the first.
 */
export type KycRoutes = Readonly<Partial<Record<VerificationKind, ReadonlyArray<string>>>>

/** The properties of a provider that routing depends on. */
export interface RoutedProvider {
  readonly name: string
  readonly capabilities: { readonly kinds: ReadonlyArray<VerificationKind> }
}

const kinds: ReadonlyArray<string> = VerificationKind.literals

const repeated = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index))
]

const isKind = (name: string): name is VerificationKind => kinds.includes(name)

/**
 * Parses routes as operators write them: `bvn=qoreid,kora;nin=youverify`. Fails with the faults found: an unknown or
 * repeated kind, a malformed list of providers, or a provider repeated within a kind. Does not check whether the
 * providers exist; `routeFaults` does.
 */
export const parseKycRoutes = (text: string): Result.Result<KycRoutes, ReadonlyArray<string>> => {
  const faults: Array<string> = []
  const routes: Partial<Record<VerificationKind, ReadonlyArray<string>>> = {}
  for (const part of text.split(";").filter((each) => each.trim() !== "")) {
    const [kind = "", list = "", ...rest] = part.split("=").map((each) => each.trim())
    const names = list.split(",").map((name) => name.trim())
    if (!isKind(kind)) faults.push(`"${kind}" is not one of ${kinds.join(", ")}`)
    else if (rest.length > 0 || names.includes("")) {
      faults.push(`${kind} must name its providers: ${kind}=first,second`)
    } else if (routes[kind] !== undefined) faults.push(`${kind} is listed twice`)
    else {
      for (const name of repeated(names)) faults.push(`${kind} names ${name} twice`)
      routes[kind] = names
    }
  }
  return faults.length === 0 ? Result.succeed(routes) : Result.fail(faults)
}

const nameForm = /^[a-z][a-z0-9-]{0,63}$/u

/** Name of the TEST provider, reserved: no LIVE provider may use it. */
export const sandboxName = "sandbox"

/** Returns the faults in LIVE providers' names: malformed, repeated, or the sandbox's name. */
export const nameFaults = (providers: ReadonlyArray<Pick<RoutedProvider, "name">>): ReadonlyArray<string> =>
  providers.flatMap(({ name }, index) => {
    if (!nameForm.test(name)) return [`"${name}" is not a name of lower-case letters, digits and hyphens`]
    if (name === sandboxName) return [`${sandboxName} is reserved for TEST`]
    return providers.findIndex((each) => each.name === name) === index ? [] : [`${name} is listed twice`]
  })

/** Returns the faults in routes: a provider that is not in `providers` or does not verify the kind. */
export const routeFaults = (routes: KycRoutes, providers: ReadonlyArray<RoutedProvider>): ReadonlyArray<string> =>
  VerificationKind.literals.flatMap((kind) =>
    (routes[kind] ?? []).flatMap((name) => {
      const provider = providers.find((each) => each.name === name)
      if (provider === undefined) return [`${kind} names ${name}, which is not configured`]
      return provider.capabilities.kinds.includes(kind) ? [] : [`${name} does not verify ${kind}`]
    })
  )

/** Routes each kind to every provider that supports it, in the given order. */
export const routesOver = (providers: ReadonlyArray<RoutedProvider>): KycRoutes =>
  Object.fromEntries(
    VerificationKind.literals
      .map(
        (kind) =>
          [
            kind,
            providers.filter(({ capabilities }) => capabilities.kinds.includes(kind)).map(({ name }) => name)
          ] as const
      )
      .filter(([, names]) => names.length > 0)
  )
