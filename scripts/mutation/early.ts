interface Tested {
  readonly status: string
  readonly fileName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** Prints a survivor as soon as it is known, so that there is no need to wait for the end of an hour's run. */
class Early {
  onMutantTested({ fileName, location: { start }, replacement, status }: Tested): void {
    if (status !== "Survived" && status !== "NoCoverage") return
    console.log(`${status}: ${fileName}:${start.line}:${start.column} → ${JSON.stringify(replacement)}`)
  }
}

/** Stryker's form of a reporter. */
export const strykerPlugins = [{ kind: "Reporter", name: "early", injectableClass: Early }]
