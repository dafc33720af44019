import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Abi, type AbiParameter, decodeFunctionData, encodeFunctionData, zeroAddress, zeroHash } from 'viem'
import { decodeCall, encodeCall } from './call-data.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { timelockAbi } from './generated/timelock.ts'

const ABIS: Readonly<Record<string, Abi>> = { coin: coinAbi, settlement: settlementAbi, timelock: timelockAbi }

function sampleOf(parameter: AbiParameter): unknown {
  const { type } = parameter
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (element !== undefined)
    return Array.from({ length: Number(length || 2) }, () => sampleOf({ ...parameter, type: element }))
  if (type === 'tuple') {
    const { components } = parameter as { components: readonly AbiParameter[] }
    return Object.fromEntries(components.map((each) => [each.name, sampleOf(each)]))
  }
  if (type === 'address') return zeroAddress
  if (type === 'bool') return true
  if (type === 'string') return 'ringgit'
  if (type === 'bytes') return '0x0102'
  if (type.startsWith('bytes')) return zeroHash.slice(0, 2 + 2 * Number(type.slice(5)))
  const bits = Number(type.replace(/^u?int/, ''))
  return bits > 48 ? 7n : 7
}

describe('call data', () => {
  for (const [contract, abi] of Object.entries(ABIS)) {
    const functions = abi.filter((item) => item.type === 'function')

    it(`of ${contract} is what viem makes, and is read as viem reads it, the first time and later`, () => {
      assert.ok(functions.length > 5)
      for (const { name, inputs } of [...functions, ...functions]) {
        const args = inputs.map(sampleOf)
        const data = encodeFunctionData({ abi, functionName: name, args })
        assert.equal(encodeCall(abi, name, args), data, name)
        assert.deepEqual(decodeCall(abi, data), decodeFunctionData({ abi, data }), name)
      }
    })

    it(`no two functions of ${contract} have one name and as many arguments`, () => {
      assert.equal(new Set(functions.map(({ name, inputs }) => `${name}/${inputs.length}`)).size, functions.length)
    })
  }

  it('of another contract, or cut off, is not read', () => {
    const scheduled = encodeCall(timelockAbi, 'getMinDelay')
    assert.throws(() => decodeCall(settlementAbi, scheduled), { name: 'AbiFunctionSignatureNotFoundError' })
    const settle = encodeCall(settlementAbi, 'settle', [1n, zeroHash, '0x00'])
    assert.throws(() => decodeCall(settlementAbi, settle.slice(0, 100) as `0x${string}`))
    assert.throws(() => decodeCall(settlementAbi, '0x'))
  })

  it('is not made with arguments that the function does not take', () => {
    assert.throws(() => encodeCall(settlementAbi, 'settle', [1n]))
    assert.throws(() => encodeCall(settlementAbi, 'setle', []), { name: 'AbiFunctionNotFoundError' })
  })
})
