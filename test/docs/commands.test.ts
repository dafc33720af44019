/** Every command that a page shows with something behind its name is taken as it stands: no option in it is unknown, and nothing is missing. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { before, test } from 'node:test'
import { loadCommands, refusalOf } from './taken.ts'

const ROOT = path.join(import.meta.dirname, '../..')
before(loadCommands)

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
