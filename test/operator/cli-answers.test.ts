/** The command line against an API that answers with several pages, half, or not at all. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { constantHeaders } from '../../src/http/envelope.ts'
import { temporaryFolder } from '../support/temp.ts'
import { runCommand } from './commands.ts'

const cli = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  runCommand(args, { OPERATOR_URL: 'http://127.0.0.1:4001', OPERATOR_TOKEN: 'a-token', ...env })

/** An API of its own for a test. */
async function serverFor(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An address of this machine at which nothing listens. */
async function addressOfNobody(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

describe('a bank file', () => {
  it('that is empty is not sent: with four eyes a second person would be asked about nothing', async (t) => {
    let asked = 0
    const url = await serverFor(t, (_, response) => {
      asked += 1
      response.end('{"ok":true}')
    })
    const file = path.join(temporaryFolder('empty'), 'statement.xml')
    writeFileSync(file, '')
    const { code, stderr } = await cli(['bank', 'import', file], { OPERATOR_URL: url })
    assert.deepEqual([code, stderr, asked], [1, `${file} is empty: fetch it from the bank again.\n`, 0])
  })
})

describe('a command that waits for another operator', () => {
  it('does not say that nobody else may approve it where a service of an earlier release does not say who may', async (t) => {
    const url = await serverFor(t, (_, response) => {
      response.writeHead(202).end('{"ok":true,"approvalId":"apr_1","status":"waiting"}')
    })
    const { code, stdout } = await cli(['integration', 'suspend', 'int_1', '--reason', 'asked for'], {
      OPERATOR_URL: url,
    })
    assert.deepEqual([code, stdout.split('"')[0]], [3, 'This waits for another operator: '], stdout)
  })
})

describe('payouts as CSV', () => {
  it('are all of them, however many pages that is; with --limit it says that there are more', async (t) => {
    const payouts = ['po_1', 'po_2', 'po_3', 'po_4', 'po_5'].map((payoutId) => ({ payoutId, status: 'held' }))
    const asked: string[] = []
    const url = await serverFor(t, (request, response) => {
      const { searchParams: query, search } = new URL(request.url ?? '', 'http://x')
      asked.push(search)
      const from = payouts.findIndex(({ payoutId }) => payoutId === query.get('after')) + 1
      const page = payouts.slice(from, from + 2)
      const next = page.length === 2 ? page[1]?.payoutId : null
      response.end(JSON.stringify({ ok: true, payouts: page, next }))
    })
    const list = async (...args: string[]) => {
      const { stdout, stderr } = await cli(['payout', 'list', '--csv', ...args], { OPERATOR_URL: url })
      const [, ...rows] = stdout.trimEnd().split('\r\n')
      return { ids: rows.map((row) => row.split(',')[0]), stderr }
    }
    const all = payouts.map(({ payoutId }) => payoutId)
    assert.deepEqual(await list('--status', 'held'), { ids: all, stderr: '' })
    assert.deepEqual(
      asked.splice(0),
      ['', '&after=po_2', '&after=po_4'].map((after) => `?status=held&limit=500${after}`),
    )
    assert.deepEqual(await list('--after', 'po_3'), { ids: ['po_4', 'po_5'], stderr: '' })
    asked.splice(0)
    assert.deepEqual(await list('--limit', '2'), { ids: ['po_1', 'po_2'], stderr: 'More: add --after po_2\n' })
    assert.deepEqual(asked, ['?limit=2'])
  })
})

describe('payouts as a table', () => {
  it('say why each is as it is: one that is held for its hold, and not for what its rail said before', async (t) => {
    const payout = { payoutId: 'po_1', status: 'held', lastError: 'The bank connector answered 503.' }
    const payouts = [
      { ...payout, holdReason: 'an operator holds it' },
      { ...payout, status: 'queued', holdReason: null },
      { ...payout, status: 'rejected', holdReason: null, isBeingRefunded: true },
    ]
    const url = await serverFor(t, (_, response) => response.end(JSON.stringify({ ok: true, payouts, next: null })))
    const { stdout } = await cli(['payout', 'list'], { OPERATOR_URL: url })
    const [head, ...rows] = stdout.trimEnd().split('\n')
    assert.match(head ?? '', /why$/)
    const whys = ['an operator holds it', 'The bank connector answered 503.', 'its coin is being minted back']
    for (const [index, why] of whys.entries())
      assert.ok(rows[index]?.trimEnd().endsWith(`  ${why}`), rows[index] ?? 'none')
  })
})

describe('a change that gets no answer', () => {
  it('may have been done, and nobody is told to start the service and try again', async (t) => {
    const answers: RequestListener[] = [
      (request) => request.socket.destroy(),
      (_, response) => response.writeHead(200, { 'content-length': '99' }).end('{"ok"', () => response.destroy()),
      (_, response) => response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>Gateway timeout</h1>'),
      // Through a proxy that ends each answer by closing: Node cannot tell that it is half of one.
      (request) =>
        request.socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"ok":tr'),
    ]
    for (const [index, answer] of answers.entries()) {
      const url = await serverFor(t, (request, response) => {
        request.resume().on('end', () => answer(request, response))
      })
      const suspend = await cli(['integration', 'suspend', 'int_x', '--json'], { OPERATOR_URL: url })
      assert.deepEqual([suspend.code, JSON.parse(suspend.stdout).error.code], [1, 'NO_ANSWER'], String(index))
      assert.match(suspend.stderr, /may or may not have been done\. What only stops something is safe to run again/)
      const show = await cli(['integration', 'show', 'int_x', '--json'], { OPERATOR_URL: url })
      assert.equal(JSON.parse(show.stdout).error.code, 'UNREACHABLE', String(index))
    }
    const away = await cli(['integration', 'suspend', 'int_x'], { OPERATOR_URL: await addressOfNobody() })
    assert.match(away.stderr, /does not answer/)
    const broken = await cli(['integration', 'suspend', 'int_x'], { OPERATOR_TOKEN: 'a\nb' })
    assert.match(broken.stderr, /does not answer/)
  })
})

describe("an answer of the partners' port", () => {
  it('says which port it was, and not only that something is not found there', async (t) => {
    const url = await serverFor(t, (_, response) => {
      const error = { code: 'NOT_FOUND', message: 'Not found.' }
      response.writeHead(404, constantHeaders(undefined)).end(JSON.stringify({ ok: false, error }))
    })
    for (const command of ['show', 'suspend']) {
      const { code, stderr } = await cli(['integration', command, 'int_x'], { OPERATOR_URL: url })
      assert.equal(code, 1)
      assert.match(stderr, /set OPERATOR_URL to the operator port, not the partner port/)
    }
  })
})

describe('an answer that sends elsewhere', () => {
  it('is no success, whatever it says, and is not followed', async (t) => {
    for (const status of [300, 302, 307, 399]) {
      let asked = 0
      const url = await serverFor(t, (_, response) => {
        asked += 1
        response.writeHead(status, { location: '/operator/v1/elsewhere' }).end('{"ok":true,"integrationId":"int_x"}')
      })
      for (const command of ['show', 'suspend']) {
        const { code, stdout } = await cli(['integration', command, 'int_x', '--json'], { OPERATOR_URL: url })
        assert.deepEqual([code, JSON.parse(stdout).error?.code], [1, 'UNREACHABLE'], `${command} ${status}`)
      }
      assert.equal(asked, 2)
    }
  })
})
