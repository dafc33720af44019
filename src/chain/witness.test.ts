import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionResult, type Hex, keccak256, numberToHex, toHex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { settlementAbi } from './generated/settlement.ts'
import { digestOf, packInstructions, taggedInstruction } from './instructions.ts'
import type { RpcNode } from './node.ts'
import { createWitness } from './witness.ts'

const WALLET = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const burn = { direction: 'REDEEM', walletAddress: WALLET, debitAddress: WALLET, amountMicro: 5n } as const
const TAG: Hex = '0x0102030405060708'
const DIGEST = digestOf(packInstructions([taggedInstruction(burn, TAG)]))
const hashOf = (name: string) => keccak256(toHex(name))

type Says = { head?: bigint; finalized?: bigint; settled?: boolean; digest?: Hex; block?: bigint; bitmap?: bigint }

function nodeSaying({
  head = 20n,
  finalized,
  settled = true,
  digest = DIGEST,
  block = 10n,
  bitmap = 1n,
}: Says): RpcNode {
  const blockAt = (number: bigint) => ({
    number: numberToHex(number),
    hash: hashOf(`block ${number}`),
    parentHash: hashOf('parent'),
    timestamp: '0x1',
    gasLimit: '0x1',
  })
  const record = settled ? ([true, bitmap, digest, block] as const) : ([false, 0n, `0x${'0'.repeat(48)}`, 0n] as const)
  return {
    label: 'scripted',
    async request(method, [at]) {
      if (method === 'eth_call')
        return encodeFunctionResult({ abi: settlementAbi, functionName: 'outcomeOf', result: record as never })
      if (at === 'finalized' && finalized === undefined) throw new Error('knows no such tag')
      return blockAt(at === 'finalized' ? (finalized ?? 0n) : at === 'latest' ? head : BigInt(at as Hex))
    },
  }
}

const CHAIN = { quorum: 1, confirmations: 5, finality: 'depth', settlement: WALLET } as unknown as ChainConfig

async function ask(
  says: Says | Says[],
  { blockNumber = 10n, tag = TAG, ...changes }: Partial<ChainConfig> & { blockNumber?: bigint; tag?: Hex } = {},
) {
  const witness = createWitness({ ...CHAIN, ...changes }, [says].flat().map(nodeSaying))
  const [said] = await witness([{ batchId: 7n, blockNumber, instructions: [{ ...burn, tag }] }])
  return said?.result === 'executed' ? said.successBitmap : `${said?.result}: ${said?.reason}`
}

test('a batch has executed when its record is in a final block, with the digest of its instructions', async () => {
  assert.equal(await ask({ bitmap: 5n }), 5n)
  assert.equal(await ask({ head: 14n }), 1n)
  assert.equal(
    await ask({ digest: digestOf('0x01') }),
    'denied: Batch 7 has other instructions on the chain than here.',
  )
  assert.equal(await ask({}, { tag: '0x01' }), 'denied: Batch 7 has other instructions on the chain than here.')
  assert.equal(await ask({ settled: false }), 'denied: Block 16 is final, and the chain has no batch 7.')
})

test('before that it is not known: by the depth of its block, and of the one that was written down', async () => {
  assert.equal(await ask({ head: 13n }), 'unknown: Block 9 is final, and not yet 10.')
  assert.equal(await ask({ head: 13n, settled: false }), 'unknown: Block 9 is final, and not yet 10.')
  assert.equal(await ask({ block: 17n }), 'unknown: Block 16 is final, and batch 7 is in 17.')
  assert.equal(await ask({ block: 3n }, { blockNumber: 17n }), 'unknown: Block 16 is final, and not yet 17.')
})

test('where a chain goes by its own finality, that counts too, and has to be told', async () => {
  const finality = 'finalized'
  assert.equal(await ask({ finalized: 10n }, { finality }), 1n)
  assert.equal(await ask({ finalized: 9n }, { finality }), 'unknown: Block 9 is final, and not yet 10.')
  assert.equal(await ask({ head: 13n, finalized: 13n }, { finality }), 'unknown: Block 9 is final, and not yet 10.')
  await assert.rejects(ask({}, { finality }), { name: 'NoQuorumError' })
})

test('one node that lies decides nothing', async () => {
  const [honest, liar] = [{ settled: false }, { bitmap: 1n }]
  assert.match(String(await ask([honest, liar, honest], { quorum: 2 })), /^denied: .* has no batch 7\.$/)
  await assert.rejects(ask([honest, liar], { quorum: 2 }), { name: 'NoQuorumError' })
})
