import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printFields, printJson, printTable } from './output.ts'

test('fields are printed one a line, what is nested below its name, and what is empty as none', (t) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  printFields({
    name: 'a\nb',
    absent: null,
    isWhole: true,
    events: ['one', 'two'],
    flows: [{ orders: 5, coin: '1.5' }],
    chains: [{ chainId: 1, hold: { reason: 'round-failed', advice: 'see the log' } }],
    nothing: [],
    counted: { late: 1, deeper: { more: 2 } },
    differences: {},
  })
  t.mock.restoreAll()
  assert.deepEqual(written.join('').split('\n'), [
    'name: a b',
    'absent: -',
    'isWhole: yes',
    'events: one,two',
    'flows:',
    '  - orders=5 coin=1.5',
    'chains:',
    '  - chainId=1 hold={"reason":"round-failed","advice":"see the log"}',
    'nothing: -',
    'counted:',
    '  late: 1',
    '  deeper:',
    '    more: 2',
    'differences: none',
    '',
  ])
})

test('nothing in a result controls a terminal: neither names nor values, and in JSON nothing is lost', (t) => {
  const controls = ['\u001b[2J', '\u009b31m', '\u0085', '\u007f', '\u202e', '\u{e0001}', 'a\nstatus: fine']
  const result = { request: Object.fromEntries(controls.map((text) => [text, text])), list: [{ '\u009b': '\u009b' }] }
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  printFields(result)
  printJson(result)
  t.mock.restoreAll()
  for (const text of written) assert.match(text, /^[^\p{C}]*\n$/u, JSON.stringify(text))
  assert.deepEqual(JSON.parse(written.at(-1) ?? ''), result)
})

test('a long cell of a table makes no other line longer', (t) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  const rows = [
    { details: 'x'.repeat(400), after: 'one' },
    { details: 'reason: mail', after: 'two' },
  ]
  printTable(rows, { details: (row) => row.details, after: (row) => row.after })
  t.mock.restoreAll()
  assert.deepEqual(written, ['details       after\n', `${'x'.repeat(400)}  one\n`, 'reason: mail  two\n'])
})

test('no text in a table looks like the columns after it', (t) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  const gaps = ['  ', '\t\t', '\u00a0\u00a0', '\u3000', '\u2800\u2800', '\u3164 \u3164']
  const remittance = gaps.map((gap) => `a${gap}b`).join('')
  printTable([{ remittance, reason: 'true' }], { remittance: (row) => row.remittance, reason: (row) => row.reason })
  t.mock.restoreAll()
  assert.deepEqual(written.at(-1)?.trimEnd().split(/ {2,}/), ['a b'.repeat(gaps.length), 'true'])
})

test('no text of a list looks like the fields after it', (t) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  const lines = ['plain', 'rent amountMyr=5', 'a\u00a0b', '"x" y', '"z'].map((remittance) => ({
    remittance,
    by: 'bank',
  }))
  printFields({ lines })
  t.mock.restoreAll()
  assert.deepEqual(written.slice(1), [
    '  - remittance=plain by=bank\n',
    '  - remittance="rent amountMyr=5" by=bank\n',
    '  - remittance="a\u00a0b" by=bank\n',
    '  - remittance="\\"x\\" y" by=bank\n',
    '  - remittance="\\"z" by=bank\n',
  ])
})
