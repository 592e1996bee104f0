/** A law broken by a host's part, with a description of the violation. */
export interface BrokenLaw {
  readonly law: string
  readonly why: string
}

/** Thrown if a host's part breaks laws of its port. The message lists each broken law and describes the violation. */
export class LawsBroken extends Error {
  override readonly name = "LawsBroken"
  readonly broken: ReadonlyArray<BrokenLaw>

  constructor(part: string, broken: ReadonlyArray<BrokenLaw>) {
    super(
      `The ${part} breaks ${broken.length === 1 ? "a law" : `${broken.length} laws`}:\n${broken
        .map(({ law, why }) => `- ${law}: ${why}`)
        .join("\n")}`
    )
    this.broken = broken
  }
}

/** Resolves with a description of the violation, or with `undefined` if the law holds. */
type Check = () => Promise<string | undefined>

const whyThrown = (error: unknown): string =>
  `it threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`

/** Checks every law in turn. Rejects with `LawsBroken` if any is broken. */
export const checkLaws = async (part: string, laws: Readonly<Record<string, Check>>): Promise<void> => {
  const broken: Array<BrokenLaw> = []
  for (const [law, check] of Object.entries(laws)) {
    const why = await check().catch(whyThrown)
    if (why !== undefined) broken.push({ law, why })
  }
  if (broken.length > 0) throw new LawsBroken(part, broken)
}
