import { CliConfig, Flag, GlobalFlag } from "effect/cli"

const letters: Readonly<Record<string, string>> = { "-h": "--help", "-v": "--version" }

/** Replaces `-h` with `--help` and `-v` with `--version`. Leaves arguments after `--` unchanged. */
export const withLongNames = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return args.map((arg, index) => (end === -1 || index < end ? (letters[arg] ?? arg) : arg))
}

/** Rebuilds a global flag without its one-letter alias, which `withLongNames` handles instead. */
const withoutLetter = (
  { run }: GlobalFlag.Action<boolean>,
  name: string,
  description: string
): GlobalFlag.Action<boolean> =>
  GlobalFlag.Action({
    flag: Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false)),
    run
  })

/**
 * The library's global flags, without one-letter names. The library reads each letter after a single dash as a flag.
 * With one-letter names, a value such as `-sk_live_…` would print the version and exit with 0.
 */
export const layer = CliConfig.layer({
  builtIns: GlobalFlag.BuiltIns.map((flag) => {
    if (flag === GlobalFlag.Help) return withoutLetter(GlobalFlag.Help, "help", "Print this help (also -h).")
    return flag === GlobalFlag.Version
      ? withoutLetter(GlobalFlag.Version, "version", "Print the version (also -v).")
      : flag
  })
})
