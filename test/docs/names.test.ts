/** Samples of the guides take what differs by partner from the environment: whoever pastes them has set it before. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { FILLED } from '../../src/http/reference/code.ts'
import { DOCUMENTS } from '../../src/http/reference/guides.ts'
import { blocksOf } from '../../src/http/reference/markdown-blocks.ts'
import { samplesIn } from './samples.ts'

const DOCS = path.join(import.meta.dirname, '../../docs')
const GUIDES = DOCUMENTS.filter(({ group }) => group === 'Guides')
const read = (file: string) => readFileSync(path.join(DOCS, file), 'utf8')
const exportsIn = (code: string) => [...code.matchAll(/^export (\w+)=/gm)].map(([, name]) => name ?? '')

/** What the first guide has its reader set, before any sample. */
const setAtFirst = blocksOf(read('guides/first-mint.md')).flatMap((block) =>
  block.type === 'code' && block.language === 'sh' ? exportsIn(block.text) : [],
)

test('what a sample takes from the environment was set at first, or by a sample before it', () => {
  for (const { file } of GUIDES) {
    const set = new Set(setAtFirst)
    for (const { code } of samplesIn(read(file))) {
      for (const name of exportsIn(code)) set.add(name)
      const taken = [...code.matchAll(/process\.env\.(\w+)|\$([A-Z_]+)\b/g)].map(([, js, sh]) => js ?? sh ?? '')
      const own = new Set([...code.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? ''))
      assert.deepEqual(
        taken.filter((name) => !set.has(name) && !own.has(name)),
        [],
        `${file}:\n${code}`,
      )
    }
  }
})

test('what the first guide has its reader set is what a sandbox fills in', () => {
  assert.deepEqual(
    setAtFirst.filter((name) => !(FILLED as readonly string[]).includes(name)),
    [],
  )
})

test('a sample asks nothing of curl that the one of Ubuntu 22.04 (7.81) cannot do', () => {
  for (const { file } of GUIDES) {
    for (const { language, code } of samplesIn(read(file))) {
      // What `-w` is told of a header it knows from 7.84 on, and before that it prints the words as they stand.
      if (language === 'sh') assert.doesNotMatch(code, /%header\{/, file)
    }
  }
})

test('behind a command that is pasted stands no comment: the shell of macOS, zsh, takes it for arguments', () => {
  const guides = GUIDES.map(({ file }) => `docs/${file}`)
  for (const file of [
    ...guides,
    'README.md',
    'docs/SANDBOX.md',
    'sdk/README.md',
    'examples/webhook-receiver/README.md',
  ]) {
    for (const block of blocksOf(read(`../${file}`))) {
      if (block.type === 'code' && block.language.startsWith('sh')) assert.doesNotMatch(block.text, /(^|\s)#\s/, file)
    }
  }
})
