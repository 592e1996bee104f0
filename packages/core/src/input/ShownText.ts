import { Effect, Result, Schema } from "effect"
import { hasCheckMark, hasHiddenCharacters, namesPlatform, PlatformName } from "../merchant/DeceptiveText.js"
import { filledText, parsedText } from "./Text.js"

// NUL is a separate fault, reported for every string.
const isPlain = Schema.makeFilter((text: string) => !hasHiddenCharacters(text.replaceAll("\u0000", "")), {
  expected: "a string without hidden characters: direction controls and zero-width characters",
  code: "hidden_characters",
  toJsonSchema: () => ({})
})

/** A string that people are shown: it has no hidden characters. */
export const shown = <S extends Schema.Codec<string>>(text: S) => text.check(isPlain)

/** The same, not blank and of at most `characters` characters. */
export const shownText = (characters: number) => shown(filledText(characters))

const claimsNothing = Schema.makeFilter((name: string) => !hasCheckMark(name), {
  expected: "a name without a check mark, which says that someone has checked it",
  code: "name_not_allowed",
  toJsonSchema: () => ({})
})

/** A merchant's registered name. Rejects a check mark, which claims a verification. */
export const registeredName = (characters: number) => shownText(characters).check(claimsNothing)

const parseName = (name: string) =>
  Effect.map(PlatformName, (platform) =>
    namesPlatform(name, platform)
      ? Result.fail({
          code: "name_not_allowed",
          detail: "Send a name without the platform's own: people would take the merchant for the platform."
        })
      : Result.succeed(name)
  )

/** The name that people know a merchant by. Also rejects the platform's name. */
export const merchantName = (characters: number) => parsedText(registeredName(characters), Schema.String, parseName)

/** Maximum length of a purpose, in Unicode code points. */
export const maxPurposeLength = 500

/** Why the merchant wants the fields, as shown to the person. */
export const Purpose = shownText(maxPurposeLength).annotate({
  examples: ["To deliver your order and to reach you about it."]
})
