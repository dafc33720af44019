/** What the console and the commands write for spreadsheets: every cell is read back as it was, and none is a formula. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { csvOf, MOST_PAGES, quoted, readAll } from '../../src/console/browser/csv.ts'
import { quoted as quotedByCommands } from '../../src/operator/close/csv.ts'

/** Reads CSV as a spreadsheet does (RFC 4180). */
function read(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, inQuotes, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/g)) {
    row.push(inQuotes?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

const RUN = ['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '--1', '-', '-1.2.3', '-=1']
const PLAIN = ['', '-12.50', '-3', '12', 'a=b', 'a,b', 'say "so"', 'two\nlines', ' =1', "'=1"]
const cell = fc.oneof(fc.constantFrom(...RUN, ...PLAIN), fc.string(), fc.string({ unit: 'grapheme' }))

describe('a cell', () => {
  it('is marked as text where a spreadsheet would run it, and is as it was everywhere else', () => {
    for (const text of RUN) assert.deepEqual(read(`${quoted(text)}\r\n`), [[`'${text}`]], JSON.stringify(text))
    for (const text of PLAIN) assert.deepEqual(read(`${quoted(text)}\r\n`), [[text]], JSON.stringify(text))
    for (const nothing of [null, undefined]) assert.equal(quoted(nothing), '')
  })

  it('is the same in the files of the console and of the commands', () => {
    fc.assert(fc.property(cell, (text) => quoted(text) === quotedByCommands(text)))
  })
})

it('a table is read back row by row, with no cell that begins like a formula', () => {
  const columns = { '=a': (row: string[]) => row[0], b: (row: string[]) => row[1] }
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
      const [head, ...found] = read(csvOf(columns, rows))
      assert.deepEqual(head, ["'=a", 'b'])
      const unmarked = (text: string) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')
      assert.deepEqual(
        found.map((each) => each.map(unmarked)),
        rows.map((each) => each.map(unmarked)),
      )
      for (const text of found.flat()) assert.doesNotMatch(text, /^[=+@\t\r\n＝＋－＠]|^-(?![\d.]+$)/)
    }),
  )
})

describe('a list', () => {
  /** @param pages how many there are */
  async function listOf(pages: number) {
    const asked: string[] = []
    const before = globalThis.fetch
    globalThis.fetch = async (target) => {
      asked.push(String(target))
      const next = asked.length < pages ? `po_${asked.length}` : null
      return Response.json({ ok: true, payouts: [{ no: asked.length }], next })
    }
    try {
      return { asked, ...(await readAll<{ no: number }>('/payouts?status=held&after=po_9', 'payouts')) }
    } finally {
      globalThis.fetch = before
    }
  }

  it('is read from its beginning to its end, with its filters', async () => {
    const { asked, rows, isWhole } = await listOf(3)
    assert.deepEqual([rows.map(({ no }) => no), isWhole], [[1, 2, 3], true])
    assert.deepEqual(asked, [
      '/operator/v1/payouts?status=held&limit=500',
      '/operator/v1/payouts?status=held&limit=500&after=po_1',
      '/operator/v1/payouts?status=held&limit=500&after=po_2',
    ])
  })

  it('is read up to a bound, and then says so', async () => {
    const { rows, isWhole } = await listOf(MOST_PAGES + 1)
    assert.deepEqual([rows.length, isWhole], [MOST_PAGES, false])
  })
})
