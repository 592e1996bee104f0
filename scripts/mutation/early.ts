interface Tested {
  readonly status: string
  readonly fileName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** Prints a survivor as soon as it is known, so that one need not wait for the end of a run of an hour. */
class Early {
  onMutantTested({ fileName, location: { start }, replacement, status }: Tested): void {
    if (status !== "Survived" && status !== "NoCoverage") return
    console.log(`${status}: ${fileName}:${start.line}:${start.column} → ${JSON.stringify(replacement)}`)
  }
}

/** Stryker's form of a reporter. */
export const strykerPlugins = [{ kind: "Reporter", name: "early", injectableClass: Early }]
