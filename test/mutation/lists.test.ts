/** The tables of the tool fit the tree, and say so when they do not. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { choose } from './choose.ts'
import { faultsOf, readEquivalents, toEntry } from './equivalents.ts'
import { plant, readListed } from './listed.ts'
import { type Mutant, nameMutants } from './mutant.ts'
import { mutantsOf, ROOMS, sourcesOf } from './rooms.ts'
import { percentOf, recordScores, scoresOf } from './score.ts'
import { testsOf } from './tests.ts'
import { typeScriptEdits } from './typescript.ts'

const ROOT = path.join(import.meta.dirname, '../..')

test('every room has sources and tests', () => {
  for (const room of Object.values(ROOMS)) {
    assert.ok(sourcesOf(ROOT, room).length > 0)
    for (const part of room.tests)
      if (!part.startsWith('src/')) assert.ok(testsOf(ROOT, { ...room, tests: [part] }, 'pglite').length > 0, part)
  }
  assert.throws(() => sourcesOf(ROOT, { sources: ['src/moved/*.ts'], tests: [] }), /nothing matches src\/moved/)
})

test('the list of equivalent mutants is not stale', () => {
  const mutants = Object.entries(ROOMS).flatMap(([name, room]) =>
    sourcesOf(ROOT, room).flatMap((file) => mutantsOf(ROOT, name, file)),
  )
  assert.deepEqual(faultsOf(readEquivalents(ROOT), mutants), [])
})

test('every listed fault has its place and its test', () => {
  for (const fault of readListed(ROOT)) {
    plant(readFileSync(path.join(ROOT, fault.file), 'utf8'), fault)
    assert.ok(existsSync(path.join(ROOT, fault.test)), fault.test)
  }
  const fault = { what: 'x', file: 'f', find: 'a', replacement: 'b', test: 't' }
  assert.equal(plant('a c', fault), 'b c')
  for (const source of ['c', 'a a']) assert.throws(() => plant(source, fault), /has [02] places like "a"/)
})

const SOURCE = 'if (a < 1) f()\nif (b && c) g()\n'
const mutants = nameMutants('life', 'file.ts', SOURCE, typeScriptEdits(SOURCE))
const [first, second] = mutants as [Mutant, Mutant]

test('an entry that fits no mutant, or has no reason, is reported', () => {
  const entry = { ...toEntry(first), reason: 'cannot be seen' }
  assert.deepEqual(faultsOf([entry], mutants), [])
  assert.match(faultsOf([{ ...entry, lineText: 'if (z < 1) f()' }], mutants).join(), /stale.*if \(z < 1\) f\(\)/)
  assert.match(faultsOf([toEntry(first)], mutants).join(), /no reason/)
})

test('a seed draws the same mutants again, another seed draws others', () => {
  const choice = { files: [], ids: [], sample: 4, seed: '1' }
  const drawn = choose(mutants, choice).map(({ id }) => id)
  assert.equal(drawn.length, 4)
  assert.deepEqual(
    choose([...mutants].reverse(), choice)
      .map(({ id }) => id)
      .sort(),
    [...drawn].sort(),
  )
  const seeds = ['2', '3', '4'].map((seed) => choose(mutants, { ...choice, seed }).map(({ id }) => id))
  assert.ok(seeds.some((ids) => ids.join() !== drawn.join()))
  assert.deepEqual(choose(mutants, { ...choice, sample: undefined, ids: [second.id] }), [second])
})

test('the score counts what a test could notice, and is written into the document', () => {
  const kinds = ['killed', 'killed', 'timeout', 'survived', 'equivalent', 'invalid']
  const scores = scoresOf(kinds.map((kind) => ({ mutant: first, verdict: { kind } as never })))
  assert.deepEqual(scores, [{ room: 'life', killed: 2, timeout: 1, survived: 1, equivalent: 1, invalid: 1 }])
  assert.equal(percentOf(scores[0] as never), 75)
  const begin = '<!-- mutation score: written by npm run mutate -- --record -->'
  const document = `Before\n\n${begin}\n| room | mutants |\n|---|---|\n| payouts | all |\n<!-- end of mutation score -->\n\nAfter\n`
  const recorded = recordScores(document, scores, 'all')
  assert.match(
    recorded,
    /^Before[\s\S]*\| payouts \| all \|\n\| life \| all \| 2 \| 1 \| 1 \| 1 \| 75.0 % \|[\s\S]*After\n$/,
  )
  assert.equal(recordScores(recorded, scores, 'all'), recorded)
  assert.throws(() => recordScores('nothing', scores, 'all'), /no place/)
})
