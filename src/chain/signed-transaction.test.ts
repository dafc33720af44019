import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Hex, parseTransaction, serializeTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { SignatureRefusedError, type UnsignedTransaction, verifySigned } from './signed-transaction.ts'
import { createSigner } from './signer.ts'

const account = privateKeyToAccount(generatePrivateKey())
const asked: UnsignedTransaction = {
  chainId: 31337,
  nonce: 7n,
  to: '0x1111111111111111111111111111111111111111',
  data: '0xabcdef',
  value: 0n,
  gas: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
}
const sign = (changes: object = {}, by = account) =>
  by.signTransaction({ type: 'eip1559', ...asked, nonce: Number(asked.nonce), ...changes })

test('exactly what was asked for passes', async () => {
  const raw = await sign()
  assert.equal((await verifySigned(raw, asked, account.address)).raw, raw)
})

test('what offers nothing for gas passes where that was asked for, as on a chain that takes no fees, and only there', async () => {
  const nothing = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  const raw = await sign(nothing)
  assert.equal((await verifySigned(raw, { ...asked, ...nothing }, account.address)).raw, raw)
  await assert.rejects(verifySigned(raw, asked, account.address), SignatureRefusedError)
  await assert.rejects(verifySigned(await sign(), { ...asked, ...nothing }, account.address), SignatureRefusedError)
})

const CHANGES: Record<string, object> = {
  'chain id': { chainId: 1 },
  nonce: { nonce: 8 },
  recipient: { to: '0x2222222222222222222222222222222222222222' },
  'call data': { data: '0xabcdee' },
  value: { value: 1n },
  'gas limit': { gas: 100_001n },
  fee: { maxFeePerGas: 2_000_000_001n },
  'priority fee': { maxPriorityFeePerGas: 1_000_000_001n },
  'access list': { accessList: [{ address: '0x2222222222222222222222222222222222222222', storageKeys: [] }] },
  type: { type: 'legacy', gasPrice: 1n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
}
for (const [field, change] of Object.entries(CHANGES)) {
  test(`another ${field} is refused`, async () => {
    const raw = await sign(change)
    await assert.rejects(verifySigned(raw, asked, account.address), (error: Error) => {
      assert.ok(error instanceof SignatureRefusedError)
      assert.match(error.message, new RegExp(field))
      return true
    })
  })
}

test('another signer, an unsigned transaction and rubbish are refused', async () => {
  const stranger = await sign({}, privateKeyToAccount(generatePrivateKey()))
  await assert.rejects(verifySigned(stranger, asked, account.address), /sender/)
  const { r: _r, s: _s, v: _v, yParity: _y, ...fields } = parseTransaction(await sign()) as Record<string, unknown>
  await assert.rejects(
    verifySigned(serializeTransaction(fields as never), asked, account.address),
    SignatureRefusedError,
  )
  for (const raw of ['0x', '0x02', '0x02c0', '0x1234'] as Hex[]) {
    await assert.rejects(verifySigned(raw, asked, account.address), SignatureRefusedError)
  }
})

test('a remote signer is asked by eth_signTransaction, and its answer is used when right and refused when not', async () => {
  let change: object = {}
  const requests: { method: string; params: [Record<string, string>] }[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = (await json(incoming)) as { id: number; method: string; params: [Record<string, string>] }
    requests.push(request)
    const result = await sign(change)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: request.id, result }))
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const signer = createSigner({ type: 'remote', url, address: account.address })
    const { raw } = await signer.sign(asked)
    assert.equal(raw, await sign())
    assert.equal(requests[0]?.method, 'eth_signTransaction')
    assert.deepEqual(
      {
        from: requests[0]?.params[0].from,
        nonce: requests[0]?.params[0].nonce,
        chainId: requests[0]?.params[0].chainId,
      },
      { from: account.address, nonce: '0x7', chainId: '0x7a69' },
    )
    change = { nonce: 9 }
    await assert.rejects(signer.sign(asked), SignatureRefusedError)
  } finally {
    server.close()
  }
})
