/** What the command line takes: every command with its options, as commander has them, without running any. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { Command, CommanderError } from 'commander'
import { withReasons } from '../../src/operator/cli/command.ts'

const CLI = path.join(import.meta.dirname, '../../src/operator/cli')
/** They run when they are loaded. */
const PROGRAMS = ['break-glass.ts', 'forget-secrets-key.ts']
const NOUNS: Record<string, (noun: Command) => void> = {}

/** To be awaited before anything is asked. */
export async function loadCommands(): Promise<void> {
  for (const file of readdirSync(CLI).filter((name) => !PROGRAMS.includes(name) && !name.endsWith('.test.ts'))) {
    const { register } = (await import(path.join(CLI, file))) as { register?: (noun: Command) => void }
    if (register !== undefined) NOUNS[path.basename(file, '.ts')] = register
  }
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** What the command line says of these words; undefined: nothing, or they only name a command. */
export function refusalOf(words: readonly string[], { mayOnlyName = true } = {}): string | undefined {
  const coin = new Command('coin').exitOverride().configureOutput({ outputError: () => {}, writeErr: () => {} })
  const [name = ''] = words
  const noun = coin.command(name).copyInheritedSettings(coin)
  NOUNS[name]?.(noun)
  withReasons(noun)
  const names = new Set([noun, ...noun.commands, ...leavesOf(noun)].map((each) => each.name()))
  if (mayOnlyName && words.every((word) => names.has(word))) return undefined
  for (const each of [noun, ...noun.commands, ...leavesOf(noun)]) {
    each.action(() => {})
    // `ID` is no value, and `-` would be read from standard input.
    for (const given of [...each.options, ...each.registeredArguments]) Reflect.deleteProperty(given, 'parseArg')
  }
  try {
    // `-` would be read from standard input at once.
    coin.parse(
      words.map((word) => (word === '-' ? 'x' : word)),
      { from: 'user' },
    )
    return undefined
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.message
  }
}
