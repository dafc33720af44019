import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connectNode, RpcUnreachableError } from '../node.ts'
import { EvmTooOldError, requireEvmVersion } from './evm-version.ts'

/** A node that gives every request the same answer. @returns its address and the requests it got */
async function startNode(t: { after: (end: () => void) => void }, answer: object) {
  const asked: { method: string; params: unknown[] }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString())
      asked.push({ method, params })
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('a node that does not know an instruction is recognised, and its words are passed on', async (t) => {
  const message = 'VM Exception while processing transaction: invalid opcode'
  const { url, asked } = await startNode(t, { error: { code: -32000, message } })
  await assert.rejects(requireEvmVersion(connectNode(url)), (error: Error) => {
    assert.ok(error instanceof EvmTooOldError)
    assert.match(
      error.message,
      /at least the EVM version Cancun, .*VM Exception while processing transaction: invalid opcode$/,
    )
    return true
  })
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['eth_call'],
  )
})

test('a node that runs them is accepted', async (t) => {
  const { url, asked } = await startNode(t, { result: '0x' })
  await requireEvmVersion(connectNode(url))
  // PUSH0 PUSH0 TSTORE, PUSH0 PUSH0 PUSH0 MCOPY: one of Shanghai and two of Cancun.
  assert.deepEqual(asked[0]?.params, [{ data: '0x5f5f5d5f5f5f5e5f5ff3' }, 'latest'])
})

test('a node that does not answer is no old chain', async () => {
  await assert.rejects(requireEvmVersion(connectNode('http://127.0.0.1:1')), RpcUnreachableError)
})
