/** A command that a message quotes is taken as it stands: it exists, with its arguments and the options that it must have. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { before, test } from 'node:test'
import { loadCommands, refusalOf } from './taken.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/

/** Commands that get what they take where the sentence is shown (src/operator/orders/commands-in.ts). */
const FILLED_IN =
  /^(?:order (?:release|reject|make-good|show)(?: --unpaid)?|payout (?:show|retry|refund|hold|release|resettle|mark-unpaid|mark-paid)|integration (?:resume|suspend)|customer suspend|screening allow|wallet add)$/

before(loadCommands)

/** The words of each, with `x` for what is put in; not the patterns by which they are found, nor commands named by a variable alone. */
function quotedIn(text: string): string[][] {
  const lines = text.split('\n').filter((line) => !COMMENT.test(line))
  return lines.flatMap((line) =>
    [...line.matchAll(/"coin ([^"]+)"/g)].flatMap(([, said = '']) => {
      const words = said
        .replaceAll(/\$\{[^}]*\}/g, 'x')
        .trim()
        .split(/\s+/)
      return words[0] === 'x' || words.some((word) => /[|$[\]\\]/.test(word)) ? [] : [words]
    }),
  )
}

/** Why it cannot be pasted. `…`, and words such as `ID`, stand for a value that the sentence cannot know. */
function whyNot(words: readonly string[]): string | undefined {
  return FILLED_IN.test(words.join(' ')) ? undefined : refusalOf(words, { mayOnlyName: false })
}

test('the test knows what can be pasted', () => {
  assert.match(whyNot(['batch', 'show']) ?? '', /missing/)
  assert.match(whyNot(['payout', 'hold', 'x']) ?? '', /--reason/)
  assert.match(whyNot(['batch', 'show', 'CHAIN', 'ID', '--all']) ?? '', /--all/)
  for (const fine of ['batch explain CHAIN ID --not-order ORDER --reason …', 'reconcile', 'payout hold'])
    assert.equal(whyNot(fine.split(' ')), undefined, fine)
})

test('every command that a message quotes can be pasted once what it leaves open is put in', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts') && !file.endsWith('commands-in.ts'),
  )
  const quoted = files.flatMap((file) =>
    quotedIn(readFileSync(path.join(ROOT, file), 'utf8')).map((words) => ({ file, words })),
  )
  assert.ok(quoted.length > 200, `${quoted.length} are quoted`)
  assert.deepEqual(
    quoted.flatMap(({ file, words }) => {
      const why = whyNot(words)
      return why === undefined ? [] : [`${file}: coin ${words.join(' ')}: ${why}`]
    }),
    [],
  )
})
