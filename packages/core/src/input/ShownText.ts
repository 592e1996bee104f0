import { Effect, Result, Schema } from "effect"
import { hasCheckMark, hasHiddenCharacters, namesPlatform, PlatformName } from "../merchant/DeceptiveText.js"
import { filledText, parsedText } from "./Text.js"

// A NUL is a fault of its own, reported for every string.
const isPlain = Schema.makeFilter((text: string) => !hasHiddenCharacters(text.replaceAll("\u0000", "")), {
  expected: "a text without hidden characters: direction controls and zero-width characters",
  code: "hidden_characters",
  toJsonSchema: () => ({})
})

/** A text that people are shown: nothing in it is hidden from them. */
export const shown = <S extends Schema.Codec<string>>(text: S) => text.check(isPlain)

/** The same, of at most `characters` characters, and not blank. */
export const shownText = (characters: number) => shown(filledText(characters))

const claimsNothing = Schema.makeFilter((name: string) => !hasCheckMark(name), {
  expected: "a name without a check mark, which says that somebody has checked it",
  code: "name_not_allowed",
  toJsonSchema: () => ({})
})

/** A merchant's registered name: claims nothing. */
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

/** What customers know a merchant by: claims nothing, and is not the platform's. */
export const merchantName = (characters: number) => parsedText(registeredName(characters), Schema.String, parseName)

/** How long a purpose may be, in Unicode code points. */
export const maxPurposeLength = 500

/** What the fields are for, in words for the person. */
export const Purpose = shownText(maxPurposeLength).annotate({
  examples: ["To deliver your order and to reach you about it."]
})
