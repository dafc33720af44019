/** Every command that a page shows with something behind its name is taken as it stands: no option in it is unknown, and nothing is missing. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { before, test } from 'node:test'
import { Command, CommanderError } from 'commander'
import { withReasons } from '../../src/operator/cli/command.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const CLI = path.join(ROOT, 'src/operator/cli')
/** They run when they are loaded. */
const PROGRAMS = ['break-glass.ts', 'forget-secrets-key.ts']
const NOUNS: Record<string, (noun: Command) => void> = {}

before(async () => {
  for (const file of readdirSync(CLI).filter((name) => !PROGRAMS.includes(name) && !name.endsWith('.test.ts'))) {
    const { register } = (await import(path.join(CLI, file))) as { register?: (noun: Command) => void }
    if (register !== undefined) NOUNS[path.basename(file, '.ts')] = register
  }
})

/** Pages of people who operate the service. */
const PAGES = [
  'README.md',
  'contracts/README.md',
  ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md') && name !== 'docs/DECISIONS.md')

/** The words behind `coin`, in backquotes or on a line of a sample. Where `…` stands for something, it is no whole command. */
function commandsIn(page: string): string[][] {
  const samples = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code = '']) =>
    code.replaceAll('\\\n', ' ').split('\n'),
  )
  const said = [...page.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...samples, ...said].flatMap((text) => {
    const [, line] = /(?:^|[|(] *)(?:coin|npm run -s coin --) ((?:"[^"]*"|[^"#;|>)])*)/.exec(text) ?? []
    const words: readonly string[] = line?.match(/(?:"[^"]*"|[^\s"])+/g) ?? []
    return words.length === 0 || words.includes('…') ? [] : [[...words]]
  })
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** What the command line says of these words; undefined: nothing, or they only name a command. */
function refusalOf(words: readonly string[]): string | undefined {
  const coin = new Command('coin').exitOverride().configureOutput({ outputError: () => {}, writeErr: () => {} })
  const [name = ''] = words
  const noun = coin.command(name).copyInheritedSettings(coin)
  NOUNS[name]?.(noun)
  withReasons(noun)
  const names = new Set([noun, ...noun.commands, ...leavesOf(noun)].map((each) => each.name()))
  if (words.every((word) => names.has(word))) return undefined
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

test('every command that a page shows with something behind its name is taken as it stands', () => {
  const shown = PAGES.flatMap((name) =>
    commandsIn(readFileSync(path.join(ROOT, name), 'utf8')).map((words) => ({ name, words })),
  )
  assert.ok(shown.length > 200, `${shown.length} are shown`)
  assert.deepEqual(
    shown.flatMap(({ name, words }) => {
      const refusal = refusalOf(words)
      return refusal === undefined ? [] : [`${name}: coin ${words.join(' ')}: ${refusal}`]
    }),
    [],
  )
})

test('what is not taken is found', () => {
  assert.match(refusalOf(['payout', 'hold', 'ID']) ?? '', /--reason/)
  assert.match(refusalOf(['payout', 'list', '--why', 'x']) ?? '', /--why/)
  assert.match(refusalOf(['payouts', 'list', '--status', 'x']) ?? '', /unknown/)
  assert.match(refusalOf(['chain', 'status', '31337']) ?? '', /too many arguments/)
  assert.match(refusalOf(['batch', 'show', '1']) ?? '', /missing/)
  assert.equal(refusalOf(['payout', 'hold', 'ID', '--reason', '"x"']), undefined)
  assert.equal(refusalOf(['payout', 'hold']), undefined)
})
