import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printFields } from './output.ts'

test('fields are printed one a line, what is nested below its name, and what is empty as none', (t) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string) => written.push(text) > 0)
  printFields({
    name: 'a\nb',
    absent: null,
    isWhole: true,
    events: ['one', 'two'],
    flows: [{ orders: 5, coin: '1.5' }],
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
    'nothing: -',
    'counted:',
    '  late: 1',
    '  deeper:',
    '    more: 2',
    'differences: none',
    '',
  ])
})
