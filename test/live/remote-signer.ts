/** A Web3Signer-compatible remote signer: JSON-RPC `eth_signTransaction`, which returns the raw bytes. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Address, type Hex, hexToBigInt, hexToNumber } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

type SignRequest = Record<
  'to' | 'data' | 'value' | 'gas' | 'nonce' | 'chainId' | 'maxFeePerGas' | 'maxPriorityFeePerGas',
  Hex
>

export type RemoteSigner = { url: string; address: Address; signed(): number; close(): Promise<void> }

/** Starts a signer for one key on a free port of 127.0.0.1. */
export async function startRemoteSigner(privateKey: Hex): Promise<RemoteSigner> {
  const account = privateKeyToAccount(privateKey)
  let signed = 0
  const server = createServer((request, response) => {
    void readJson(request).then(async ({ id, method, params }) => {
      response.setHeader('content-type', 'application/json')
      if (method !== 'eth_signTransaction') {
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }))
        return
      }
      const { to, data, value, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas } = params[0]
      const result = await account.signTransaction({
        type: 'eip1559',
        to,
        data,
        value: hexToBigInt(value),
        gas: hexToBigInt(gas),
        nonce: hexToNumber(nonce),
        chainId: hexToNumber(chainId),
        maxFeePerGas: hexToBigInt(maxFeePerGas),
        maxPriorityFeePerGas: hexToBigInt(maxPriorityFeePerGas),
      })
      signed += 1
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    address: account.address,
    signed: () => signed,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readJson(request: IncomingMessage) {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text) as { id: unknown; method: string; params: [SignRequest] }
}
