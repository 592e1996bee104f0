interface Tested {
  readonly status: string
  readonly fileName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

/** Prints each survivor as soon as it is known, instead of at the end of an hour-long run. */
class Early {
  onMutantTested({ fileName, location: { start }, replacement, status }: Tested): void {
    if (status !== "Survived" && status !== "NoCoverage") return
    console.log(`${status}: ${fileName}:${start.line}:${start.column} → ${JSON.stringify(replacement)}`)
  }
}

/** Registers the reporter. Stryker reads an export of this name from each plugin module. */
export const strykerPlugins = [{ kind: "Reporter", name: "early", injectableClass: Early }]
