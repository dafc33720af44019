/** What goes to the bank connector, byte for byte, and how each of its answers is understood. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import type { PayoutInstruction, RailAnswer } from '../../src/payouts/rail.ts'
import { createHttpRail } from '../../src/payouts/rails/http.ts'

const INSTRUCTION: PayoutInstruction = {
  payoutId: 'po_1',
  endToEndId: '0123456789AB',
  amountSen: 1_205n,
  bankId: 'bnk_1',
  bic: 'MBBEMYKL',
  account: '0011',
  name: 'A Person',
  reference: 'INV-7',
}
/** Only silence takes it up: nobody waits for it elsewhere, however busy the machine is. */
const PATIENCE_MS = 60_000
const SHORT_MS = 300

type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

type Answer = (response: ServerResponse, method: string) => void

/** A server that records what it gets and answers as the test says. */
async function startServer() {
  const received: Received[] = []
  let answer: Answer = () => {}
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      answer(response, request.method ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith: (how: Answer) => {
      answer = how
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Server = Awaited<ReturnType<typeof startServer>>
let bank: Server
let elsewhere: Server
before(async () => {
  bank = await startServer()
  elsewhere = await startServer()
})
beforeEach(() => {
  bank.received.length = 0
})
after(async () => {
  await bank.close()
  await elsewhere.close()
})

const rail = (timeoutMs = PATIENCE_MS) =>
  createHttpRail({ url: `${bank.url}/payouts?v=1`, connector: 'bank', token: 'the-token', timeoutMs })

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const accepted = (status: number) => json(status, { status: 'accepted', reference: 'R-1' })

function initiate(
  how: (response: ServerResponse) => void,
  changes: Partial<PayoutInstruction> = {},
): Promise<RailAnswer> {
  bank.answerWith(how)
  return rail().initiate({ ...INSTRUCTION, ...changes })
}

describe('the request', () => {
  it('is the payout as JSON, under its id, with the token', async () => {
    await initiate(accepted(202))
    const [request] = bank.received
    assert.equal(bank.received.length, 1)
    assert.deepEqual([request?.method, request?.url], ['POST', '/payouts?v=1'])
    assert.equal(request?.headers.authorization, 'Bearer the-token')
    assert.equal(request?.headers['idempotency-key'], '0123456789AB')
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.equal(
      request?.body,
      '{"payoutId":"po_1","endToEndId":"0123456789AB","amount":"12.05","currency":"MYR","creditor":{"bic":"MBBEMYKL","account":"0011","name":"A Person"},"reference":"INV-7"}',
    )
  })

  for (const [amountSen, amount] of [
    [1n, '0.01'],
    [9n, '0.09'],
    [10n, '0.10'],
    [100n, '1.00'],
    [1_200n, '12.00'],
    [1_205n, '12.05'],
    [100_000_000n, '1000000.00'],
  ] as const) {
    it(`says RM ${amount} for ${amountSen} sen`, async () => {
      await initiate(accepted(202), { amountSen })
      assert.equal(JSON.parse(bank.received[0]?.body ?? '{}').amount, amount)
    })
  }

  it('says every amount with two decimals, so that the digits without the point are the sen', async () => {
    bank.answerWith(accepted(202))
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: 10n ** 14n }), async (amountSen) => {
        bank.received.length = 0
        await rail().initiate({ ...INSTRUCTION, amountSen })
        const { amount } = JSON.parse(bank.received[0]?.body ?? '{}') as { amount: string }
        assert.match(amount, /^(0|[1-9]\d*)\.\d\d$/)
        assert.equal(BigInt(amount.replace('.', '')), amountSen)
      }),
      { numRuns: 30 },
    )
  })
})

describe('the answer', () => {
  for (const status of [200, 201, 202]) {
    it(`${status} with an acceptance: the bank has it`, async () => {
      assert.deepEqual(await initiate(accepted(status)), { result: 'accepted', railReference: 'R-1' })
    })
  }

  it('with a reference of one character is an acceptance too', async () => {
    const answer = await initiate(json(202, { status: 'accepted', reference: '7', more: 'ignored' }))
    assert.deepEqual(answer, { result: 'accepted', railReference: '7' })
  })

  it('422 with a refusal: the bank did not take it', async () => {
    const answer = await initiate(json(422, { status: 'refused', reason: 'closed' }))
    assert.deepEqual(answer, { result: 'refused', reason: 'closed' })
  })

  const doubtful: [string, (response: ServerResponse) => void][] = [
    ...[203, 204, 206, 299, 400, 404, 409, 422, 429, 500, 503].map(
      (status) => [`${status} with an acceptance`, accepted(status)] as [string, (response: ServerResponse) => void],
    ),
    ...[200, 202, 400, 409, 420, 423, 500].map(
      (status) =>
        [`${status} with a refusal`, json(status, { status: 'refused', reason: 'no' })] as [
          string,
          (response: ServerResponse) => void,
        ],
    ),
    ['an acceptance without a reference', json(202, { status: 'accepted' })],
    ['an acceptance with an empty reference', json(202, { status: 'accepted', reference: '' })],
    ['a refusal without a reason', json(422, { status: 'refused' })],
    ['another status text', json(202, { status: 'pending', reference: 'R' })],
    ['another status text of a refusal', json(422, { status: 'rejected', reason: 'R' })],
    ['an array', json(202, [{ status: 'accepted', reference: 'R' }])],
    ['null', json(202, null)],
    ['no body', (response) => response.writeHead(202).end()],
    ['HTML', (response) => response.writeHead(202).end('<html>accepted</html>')],
    ['half of an answer', (response) => response.writeHead(202).end('{"status":"accepted","refer')],
    ['more than 16 KiB', json(202, { status: 'accepted', reference: 'R', padding: 'x'.repeat(16 * 1024) })],
    ['a broken connection', (response) => response.destroy()],
  ]
  for (const [what, how] of doubtful) {
    it(`${what}: nobody knows`, async () => {
      const answer = await initiate(how)
      assert.equal(answer.result, 'unknown')
      assert.equal(bank.received.length, 1, 'it is not asked twice by itself')
    })
  }

  it('a success without a word is not quoted as if it were one', async () => {
    const answer = await initiate((response) => response.writeHead(200).end())
    assert.deepEqual(answer, {
      result: 'unknown',
      reason:
        'The bank connector answered 200, but not in words that say what became of the payment: nobody knows whether it was paid.',
    })
  })

  it('a refusal of what it calls taken is none; of anything else it is', async () => {
    const refusal = json(422, { status: 'refused', reason: 'closed' })
    const paid = { status: 'paid', reference: 'B', at: '2026-11-20T04:00:00Z' }
    for (const [status, word, result] of [
      [200, paid, 'unknown'],
      [200, { ...paid, status: 'returned', reason: 'gone' }, 'unknown'],
      [200, { status: 'accepted', reference: 'B' }, 'unknown'],
      [200, { status: 'refused', reason: 'closed' }, 'refused'],
      [404, { status: 'none' }, 'refused'],
      [500, {}, 'refused'],
    ] as const) {
      bank.answerWith((response, method) => (method === 'GET' ? json(status, word) : refusal)(response))
      const answer = await rail(PATIENCE_MS).initiate(INSTRUCTION)
      assert.equal(answer.result, result, JSON.stringify(word))
      if (answer.result === 'unknown') assert.match(answer.reason, /refuses the payment \(closed\), and calls it/)
    }
  })

  it('up to 16 KiB is read', async () => {
    const [before, after] = ['{"status":"accepted","reference":"', '"}']
    const reference = 'x'.repeat(16 * 1024 - before.length - after.length)
    const answer = await initiate((response) => response.writeHead(202).end(before + reference + after))
    assert.deepEqual(answer, { result: 'accepted', railReference: reference })
  })

  for (const status of [301, 302, 303, 307, 308]) {
    it(`${status}: a payout never follows a redirect`, async () => {
      elsewhere.received.length = 0
      elsewhere.answerWith(accepted(202))
      const answer = await initiate((response) =>
        response
          .writeHead(status, { location: `${elsewhere.url}/payouts` })
          .end('{"status":"accepted","reference":"R"}'),
      )
      assert.deepEqual(answer, { result: 'unknown', reason: `The bank connector answered ${status}.` })
      assert.deepEqual(elsewhere.received, [], 'neither the payout nor the token goes anywhere else')
    })
  }

  it('silence ends at the time limit, even in the middle of a body', async () => {
    bank.answerWith(() => {})
    const silent = await rail(SHORT_MS).initiate(INSTRUCTION)
    assert.deepEqual(silent, { result: 'unknown', reason: 'The bank connector did not answer: TimeoutError.' })
    bank.answerWith((response) => void response.writeHead(202).write('{"status":"acc'))
    const half = await rail(SHORT_MS).initiate(INSTRUCTION)
    assert.equal(half.result, 'unknown')
  })

  it('says why without revealing the address or the token', async () => {
    const gone = await startServer()
    await gone.close()
    const railTo = (url: string, token = 'the-token') =>
      createHttpRail({ url, connector: 'bank', token, timeoutMs: PATIENCE_MS })
    const answers = [
      await railTo('http://user-name:pass-word@127.0.0.1/secret').initiate(INSTRUCTION),
      await railTo(`${gone.url}/secret`).initiate(INSTRUCTION),
      await railTo(bank.url, 'the-\ntoken').initiate(INSTRUCTION),
    ]
    for (const answer of answers) {
      assert.equal(answer.result, 'unknown')
      assert.doesNotMatch(JSON.stringify(answer), /pass-word|user-name|secret|token|127/)
    }
    assert.deepEqual(answers[1], { result: 'unknown', reason: 'The bank connector did not answer: ECONNREFUSED.' })
  })
})

describe('a question about a payment', () => {
  const status = () =>
    createHttpRail({
      url: `${bank.url}/payouts?v=1`,
      connector: 'bank',
      token: 'token',
      timeoutMs: PATIENCE_MS,
    }).status?.(INSTRUCTION)
  const says = (code: number, body: unknown) =>
    bank.answerWith((response) => void response.writeHead(code).end(JSON.stringify(body)))
  const at = '2026-11-20T04:00:00Z'

  it('names it by its end-to-end id, and pays nothing', async () => {
    says(404, { status: 'none' })
    assert.deepEqual(await status(), { result: 'none' })
    const request = bank.received.at(-1)
    assert.deepEqual([request?.method, request?.url, request?.body], ['GET', '/payouts/0123456789AB?v=1', ''])
    assert.equal(request?.headers.authorization, 'Bearer token')
  })

  it('is answered with what became of it', async () => {
    says(200, { status: 'accepted', reference: 'R' })
    assert.deepEqual(await status(), { result: 'accepted', railReference: 'R' })
    says(200, { status: 'refused', reason: 'closed' })
    assert.deepEqual(await status(), { result: 'refused', reason: 'closed' })
    says(200, { status: 'paid', reference: 'P', at })
    assert.deepEqual(await status(), { result: 'paid', reference: 'P', effectiveAt: new Date(at) })
    says(200, { status: 'returned', reference: 'X', reason: 'gone', at })
    assert.deepEqual(await status(), { result: 'returned', reference: 'X', reason: 'gone', effectiveAt: new Date(at) })
  })

  it('is believed only when it is answered as agreed', async () => {
    for (const [code, body] of [
      [404, {}],
      [404, { status: 'accepted', reference: 'R' }],
      [200, { status: 'none' }],
      [500, { status: 'none' }],
      [422, { status: 'refused', reason: 'closed' }],
      [200, { status: 'paid', reference: 'P' }],
      [200, { status: 'paid', reference: 'P', at: 'yesterday' }],
      [200, { status: 'paid', reference: 'P', at: '2026-11-45T10:00:00Z' }],
      [200, { status: 'returned', reference: 'P', reason: 'gone', at: '2026-11-22T25:00:00Z' }],
      // What a program says that has no time: the books would have it on that day for ever.
      [200, { status: 'paid', reference: 'P', at: '0001-01-01T00:00:00Z' }],
      [200, { status: 'paid', reference: 'P', at: '0000-01-01T00:00:00Z' }],
      [200, { status: 'returned', reference: 'P', reason: 'gone', at: '1970-01-01T00:00:00.000Z' }],
      [200, { status: 'paid', reference: 'P', at: '2026-02-30T10:00:00Z' }],
      [200, { status: 'returned', reference: 'X', at }],
    ] as const) {
      says(code, body)
      assert.equal((await status())?.result, 'unknown', JSON.stringify([code, body]))
    }
  })
})
