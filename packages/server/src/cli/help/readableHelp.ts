import { Option } from "effect"
import type { HelpDoc } from "effect/cli"

const marked = (flag: HelpDoc.FlagDoc): HelpDoc.FlagDoc => {
  const description = Option.getOrElse(flag.description, () => "")
  return { ...flag, description: Option.some(`Required. ${description.trim()}`.trim()) }
}

/** Lists a command's required flags first, marks them, and shows them in its usage. The library does neither. */
export const readableHelp = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => {
  const required = help.flags.filter((flag) => flag.required)
  const optional = help.flags.filter((flag) => !flag.required)
  const typed = required.map(({ name, type }) => `--${name} <${type}> `).join("")
  return {
    ...help,
    usage: help.usage.replace("[flags]", `${typed}[flags]`),
    flags: [...required.map(marked), ...optional]
  }
}
