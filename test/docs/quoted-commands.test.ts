/** A command that a message quotes begins with `coin`, so that it can be pasted as it stands. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'

const ROOT = path.join(import.meta.dirname, '../..')
/** Words that are also something else where they stand alone: `connection: "close"`. */
const AMBIGUOUS = new Set(['close'])

const names = COMMANDS.map(({ command }) => command)
  .filter((command) => !AMBIGUOUS.has(command))
  .toSorted((one, other) => other.length - one.length)
/** In quotes without `coin`; not the console's `command="…"`, which names a line of the table. */
const BARE = new RegExp(`(?<!command=)"(?:(?:${names.join('|')})(?=" | |"|\\.)|\\$\\{(?:\\w+\\.)?command\\})`)
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/

const bareIn = (text: string) => text.split('\n').filter((line) => !COMMENT.test(line) && BARE.test(line))

test('the test knows such a command when it sees one', () => {
  for (const [line, isBare] of [
    [`'run "chain resume" when that is over'`, true],
    [`'"order show \${order}"'`, true],
    [`'"\${line.command}" waits'`, true],
    [`'run "coin chain resume" when that is over'`, false],
    [`html\`<\${Action} command="chain resume"\``, false],
    [`// what "chain status" says`, false],
    [`'the runbook "Orders are stuck"'`, false],
  ] as const)
    assert.equal(bareIn(line).length, isBare ? 1 : 0, line)
})

test('every command that a message quotes can be pasted', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts') && file !== path.join('src', 'operators', 'commands.ts'),
  )
  assert.ok(files.length > 500)
  const bare = files.flatMap((file) =>
    bareIn(readFileSync(path.join(ROOT, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  )
  assert.deepEqual(bare, [])
})
