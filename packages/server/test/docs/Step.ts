import { type Fence, fencesIn, placeOf } from "./Fence.js"

/**
 * How to test a block of the documentation, according to its language and the words after it:
 *
 * - `sh run`: run by bash, in page order, in one directory and with the variables set before;
 * - `sh start <name>`: a program that keeps running until the end of the page;
 * - `sh install`: names packages, which are already installed;
 * - `json answer` and `text answer`: the output of the preceding block, except for values that differ in each run;
 * - `text prints <name>`: the next output of a started program;
 * - `<language> file <name>`: a file.
 */
export type Step =
  | { readonly kind: "run" | "install"; readonly fence: Fence }
  | { readonly kind: "answer"; readonly fence: Fence }
  | { readonly kind: "start" | "prints" | "file"; readonly name: string; readonly fence: Fence }

const stepOf = (fence: Fence): Step => {
  const [word, name, ...more] = fence.words
  const said = [fence.language, word, name === undefined ? "" : "…"].join(" ").trim()
  if (more.length === 0) {
    if (said === "sh run" || said === "sh install") return { kind: word === "run" ? "run" : "install", fence }
    if (said === "json answer" || said === "text answer") return { kind: "answer", fence }
    if (name !== undefined) {
      if (said === "sh start …") return { kind: "start", name, fence }
      if (said === "text prints …") return { kind: "prints", name, fence }
      if (word === "file") return { kind: "file", name, fence }
    }
  }
  throw new Error(
    `${placeOf(fence)}: nothing says how this block is tested: ${fence.language} ${fence.words.join(" ")}`
  )
}

/** Returns every step of a page. Throws if a block does not say how to test it. */
export const stepsIn = (page: string, text: string): ReadonlyArray<Step> => fencesIn(page, text).map(stepOf)
