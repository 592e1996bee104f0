import { Context } from "effect"

/** What people know the platform as. No merchant may call itself so. */
export const PlatformName = Context.Reference<string>("@surety/core/merchant/PlatformName", {
  defaultValue: () => "Surety"
})

/**
 * Characters without a look of their own that change how a text is read: bidirectional controls, zero-width spaces, tags,
 * fillers, control characters other than line breaks and tabs.
 */
const hidden =
  /(?![\u200c\u200d])\p{Cf}|(?![\t\n\r])\p{Cc}|[\u2800\u115f\u1160\u180e\u3164\uffa0\u2028\u2029]|\u034f|\u17b4|\u17b5/u

/** Scripts that are written with joiners, and emoji that are made of several. */
const joinedScripts =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f/u

const strayJoiner = (text: string): boolean =>
  [...text].some(
    (character, index, all) => /[\u200c\u200d]/u.test(character) && !joinedScripts.test(all[index - 1] ?? "")
  )

/** Whether a text has characters that nobody sees, and that can make it look like another. */
export const hasHiddenCharacters = (text: string): boolean => hidden.test(text) || strayJoiner(text)

/** Check marks, plain, in a box and as emoji: beside a name they say that somebody has checked it. */
const checkMarks = /[\u2611\u2705\u2713\u2714\u{1f5f8}\u{1f5f9}\u{1fbb1}]/u

/** Whether a name has a mark that claims that it was checked. */
export const hasCheckMark = (name: string): boolean => checkMarks.test(name)

/** Letters and digits that look like Latin ones, as the Latin one. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...{ а: "a", е: "e", о: "o", р: "p", с: "c", у: "y", х: "x", ѕ: "s", і: "i", ј: "j", ԁ: "d", ո: "n", һ: "h", т: "t" },
  ...{ α: "a", ε: "e", ι: "i", κ: "k", ν: "v", ο: "o", ρ: "p", τ: "t", υ: "u", χ: "x" },
  ...{ "0": "o", "1": "i", "3": "e", "5": "s", "|": "i", l: "i", $: "s", "@": "a" }
}

/** How a name looks, in words: without case, marks, and the difference of letters that look alike. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  [...name.normalize("NFKD").toLowerCase()]
    .map((character) => lookAlikes[character] ?? character)
    .join("")
    .replace(/\p{M}/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")

/** Whether a name has the platform's in it as whole words, or is it when written with gaps. */
export const namesPlatform = (name: string, platform: string): boolean => {
  const [words, theirs] = [wordsOf(name), wordsOf(platform)]
  if (theirs.length === 0) return false
  return ` ${words.join(" ")} `.includes(` ${theirs.join(" ")} `) || words.join("") === theirs.join("")
}
