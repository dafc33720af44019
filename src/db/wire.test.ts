import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { executionOf, messageLength, readColumns } from './wire.ts'

test('an execution is one Bind, one Execute and one Sync', () => {
  const bind = [
    ...[...[0x42, 0, 0, 0, 35, 0], ...Buffer.from('s1'), 0],
    ...[0, 0, 0, 4],
    ...[...[0, 0, 0, 3], ...Buffer.from('abc')],
    ...[0xff, 0xff, 0xff, 0xff],
    ...[0, 0, 0, 0],
    ...[...[0, 0, 0, 2], ...Buffer.from('é')],
    ...[0, 0],
  ]
  const rest = [...[0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0], ...[0x53, 0, 0, 0, 4]]
  assert.deepEqual([...executionOf('s1', ['abc', null, '', 'é'])], [...bind, ...rest])
})

test('without values it is as long as it says', () => {
  const bytes = executionOf('s22', [])
  assert.equal(bytes.readInt32BE(1), bytes.length - 15 - 1)
})

function rowOf(columns: readonly (string | null)[]): Buffer {
  const parts = [Buffer.alloc(2)]
  parts[0]?.writeInt16BE(columns.length)
  for (const column of columns) {
    const length = Buffer.alloc(4)
    length.writeInt32BE(column === null ? -1 : Buffer.byteLength(column))
    parts.push(length, Buffer.from(column ?? ''))
  }
  return Buffer.concat(parts)
}

function columnsOf(bytes: Buffer, start: number, end: number, count: number): (string | null)[] {
  const columns: (string | null)[] = Array.from({ length: count }, () => null)
  readColumns(bytes, start, end, (place, text) => {
    columns[place] = text
  })
  return columns
}

const column = fc.oneof(
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme-ascii', minLength: 100, maxLength: 5000 }),
  fc.constant(null),
)

test('the columns of a row are what was written, wherever it stands and whatever characters it has', () => {
  fc.assert(
    fc.property(fc.array(column, { maxLength: 30 }), fc.nat(20), (columns, before) => {
      const row = rowOf(columns)
      const bytes = Buffer.concat([Buffer.alloc(before, 0xff), row, Buffer.alloc(3, 0xff)])
      assert.deepEqual(columnsOf(bytes, before, before + row.length, columns.length), columns)
    }),
  )
})

test('a message is as long as it says and its type', () => {
  assert.equal(messageLength(Buffer.from([9, 0x44, 0, 0, 1, 2]), 1), 259)
})
