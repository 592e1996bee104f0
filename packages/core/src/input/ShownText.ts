import { Effect, Result, Schema } from "effect"
import { hasCheckMark, hasHiddenCharacters, namesPlatform, PlatformName } from "../merchant/DeceptiveText.js"
import { filledText, parsedText } from "./Text.js"

// Rejects hidden characters other than NUL. NUL is reported as a separate fault in every string.
const isPlain = Schema.makeFilter((text: string) => !hasHiddenCharacters(text.replaceAll("\u0000", "")), {
  expected: "a string without hidden characters: direction controls and zero-width characters",
  code: "hidden_characters",
  toJsonSchema: () => ({})
})

/** Rejects hidden characters in a string shown to people. */
export const shown = <S extends Schema.Codec<string>>(text: S) => text.check(isPlain)

/** A string shown to people that is not blank and has at most `characters` characters. */
export const shownText = (characters: number) => shown(filledText(characters))

const claimsNothing = Schema.makeFilter((name: string) => !hasCheckMark(name), {
  expected: "a name without a check mark, which suggests that someone has checked it",
  code: "name_not_allowed",
  toJsonSchema: () => ({})
})

/** A merchant's registered name. Rejects check marks, which imply verification. */
export const registeredName = (characters: number) => shownText(characters).check(claimsNothing)

const parseName = (name: string) =>
  Effect.map(PlatformName, (platform) =>
    namesPlatform(name, platform)
      ? Result.fail({
          code: "name_not_allowed",
          detail:
            "Send a name that does not contain the platform's: people would mistake the merchant for the platform."
        })
      : Result.succeed(name)
  )

/**
 * The name by which people know a merchant. Rejects check marks. Also rejects names that contain the platform's own
 * name as whole words, or equal it apart from spaces and punctuation.
 */
export const merchantName = (characters: number) => parsedText(registeredName(characters), Schema.String, parseName)

/** Maximum length of a purpose, in Unicode code points. */
export const maxPurposeLength = 500

/** Why the merchant requests identity fields, in the words shown to the person. */
export const Purpose = shownText(maxPurposeLength).annotate({
  examples: ["To deliver your order and to reach you about it."]
})
