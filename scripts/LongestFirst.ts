import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Projects whose single files take longest, so that no worker is left alone with one of them at the end. */
const longest = ["workspace", "server", "consent-page", "postgres", "testing", "embed", "client", "verifier"]

const rankOf = ({ project }: TestSpecification): number => {
  const rank = longest.indexOf(project.name)
  return rank === -1 ? longest.length : rank
}

/** Vitest's own order within a project: the longest of the last run first, or the largest if there was none. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
