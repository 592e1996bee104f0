import { SuretyError } from "../SuretyError.js"
import { listen, listenHelp } from "./listen/listen.js"
import { CommandFailed, painter, type Terminal, visible } from "./Terminal.js"
import { trigger, triggerHelp } from "./trigger/trigger.js"

/** A command: prints to the terminal, and fails with `CommandFailed` or a `SuretyError`. */
export type Command = (argv: ReadonlyArray<string>, terminal: Terminal) => Promise<void>

const commands: Readonly<Record<string, { readonly run: Command; readonly help: string }>> = {
  listen: { run: listen, help: listenHelp },
  trigger: { run: trigger, help: triggerHelp }
}

const help = `Usage: npx @surety/client <command> [options]

  listen    forwards the events of a TEST key to your machine, signed
  trigger   makes an event happen, with all that it needs

  <command> --help shows a command's options.`

/**
 * Runs the command line and returns the exit code. It is 0 for success, 1 for a failure, 2 for a usage error, and 130
 * for an interrupted `trigger`. Errors go to standard error, without keys. Rejects with unexpected errors.
 */
export const runCommand = async (argv: ReadonlyArray<string>, terminal: Terminal): Promise<number> => {
  const [name = "", ...rest] = argv
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    if (name === "--help" || name === "-h") {
      terminal.print(help)
      return 0
    }
    terminal.printError(name === "" ? help : `Unknown command ${visible(name, 40)}.\n\n${help}`)
    return 2
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.print(command.help)
    return 0
  }
  try {
    await command.run(rest, terminal)
    return 0
  } catch (error) {
    if (!(error instanceof CommandFailed || error instanceof SuretyError)) throw error
    // Interruption is the normal way to end `listen`, but not `trigger`.
    if (terminal.signal.aborted) return name === "listen" ? 0 : 130
    terminal.printError(painter(terminal.colours)("red", visible(error.message, 2000)))
    return error instanceof CommandFailed ? error.exitCode : 1
  }
}
