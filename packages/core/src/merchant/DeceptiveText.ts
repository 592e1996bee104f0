import { Context } from "effect"

/** The platform's name. A merchant's own `name` must not contain or imitate it (`namesPlatform`). */
export const PlatformName = Context.Reference<string>("@surety/core/merchant/PlatformName", {
  defaultValue: () => "Surety"
})

/**
 * Invisible characters, such as bidirectional controls, zero-width spaces and fillers. Includes control characters
 * other than `\r`, `\n` and `\t`. `strayJoiner` checks the zero-width joiner and non-joiner.
 */
const hidden =
  /(?![\u200c\u200d])\p{Cf}|(?![\t\n\r])\p{Cc}|[\u2800\u115f\u1160\u180e\u3164\uffa0\u2028\u2029]|\u034f|\u17b4|\u17b5/u

/**
 * Scripts that need joiners, and emoji, which are composed with joiners. After any other character, a joiner is
 * suspicious.
 */
const joinedScripts =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f/u

const strayJoiner = (text: string): boolean =>
  [...text].some(
    (character, index, all) => /[\u200c\u200d]/u.test(character) && !joinedScripts.test(all[index - 1] ?? "")
  )

/** Returns true if the text contains a `hidden` character or a stray joiner. Either can disguise it as other text. */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text) || strayJoiner(text)

/** Check marks, plain, boxed and as emoji. In a merchant's name they imply that the merchant was verified. */
const checkMarks = /[\u2611\u2705\u2713\u2714\u{1f5f8}\u{1f5f9}\u{1fbb1}]/u

export const hasCheckMark = (name: string): boolean => checkMarks.test(name)

const lookAlikes: Readonly<Record<string, string>> = {
  ...{ а: "a", е: "e", о: "o", р: "p", с: "c", у: "y", х: "x", ѕ: "s", і: "i", ј: "j", ԁ: "d", ո: "n", һ: "h", т: "t" },
  ...{ α: "a", ε: "e", ι: "i", κ: "k", ν: "v", ο: "o", ρ: "p", τ: "t", υ: "u", χ: "x" },
  ...{ "0": "o", "1": "i", "3": "e", "5": "s", "|": "i", l: "i", $: "s", "@": "a" }
}

/** Splits a name into words, in lower case, with diacritics removed and lookalikes replaced. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  [...name.normalize("NFKD").toLowerCase()]
    .map((character) => lookAlikes[character] ?? character)
    .join("")
    .replace(/\p{M}/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/**
 * Returns true if the name contains the platform's name as whole words, or equals it apart from spaces and punctuation.
 * Names are compared by `wordsOf`, so lookalikes count as equal.
 */
export const namesPlatform = (name: string, platform: string): boolean => {
  const [words, theirs] = [wordsOf(name), wordsOf(platform)]
  if (theirs.length === 0) return false
  return ` ${words.join(" ")} `.includes(` ${theirs.join(" ")} `) || words.join("") === theirs.join("")
}
