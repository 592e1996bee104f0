/** Estimates the syllables of an English word by its vowel groups, ignoring silent endings. */
const syllablesOf = (word: string): number => {
  const spelt = word.toLowerCase().replace(/[^a-z]/gu, "")
  if (spelt.length <= 3) return 1
  const spoken = spelt.replace(/(?:[^laeiouy]es|ed|[^laeiouy]e)$/u, "").replace(/^y/u, "")
  return Math.max(1, spoken.match(/[aeiouy]{1,2}/gu)?.length ?? 1)
}

/**
 * Computes a text's school grade (Flesch-Kincaid): 0.39 × words per sentence + 11.8 × syllables per word - 15.59. A
 * sentence ends at `.`, `!`, `?` or `:`, or at the end of its block.
 */
export const gradeOf = (blocks: ReadonlyArray<string>): number => {
  const sentences = blocks.flatMap((block) => block.split(/[.!?:]+(?:\s|$)/u)).filter((one) => /[a-z]/iu.test(one))
  const words = sentences.flatMap((sentence) => sentence.split(/[^A-Za-z\u2019'-]+/u)).filter((word) => word !== "")
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0)
  return 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59
}
