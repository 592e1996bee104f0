/** What a code means: its HTTP status, a short title that never changes, and what to do about it. */
export interface ProblemMeaning {
  readonly status: number
  readonly title: string
  /** What the caller should do, in a sentence or two. */
  readonly advice: string
}

/** One line of the table of codes. */
export const meaning = (status: number, title: string, advice: string): ProblemMeaning => ({ status, title, advice })
