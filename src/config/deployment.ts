/** The entry `deployment` of a chain in the chains file: who should hold which power over its contracts. */
import { getAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { parseAmount } from '../money.ts'
import { type Fields, fieldsOf } from './fields.ts'
import type { ChainConfig, DeploymentConfig, SignerConfig } from './types.ts'

type Address = `0x${string}`
type Report = (problem: string) => void
type Keys = Pick<ChainConfig, 'signers' | 'linker'>

const MOST_HOLDERS = 100

/**
 * Reads the entry. Where `signers` and `linkers` are left out, they follow from the chain's keys.
 * @param report receives one sentence per problem
 */
export function readDeployment(value: unknown, where: string, keys: Keys, report: Report): DeploymentConfig {
  const fields = fieldsOf(value, where, report)
  const ofKeys = (signers: readonly SignerConfig[]) => signers.flatMap((signer) => addressOf(signer) ?? [])
  const { linker } = keys
  const roles = {
    admin: fields.address('admin'),
    signers: fields.has('signers') || keys.signers.length === 0 ? addresses(fields, 'signers') : ofKeys(keys.signers),
    limiters: addresses(fields, 'limiters'),
    linkers: fields.has('linkers') || linker === undefined ? addresses(fields, 'linkers') : ofKeys([linker]),
    freezers: addresses(fields, 'freezers'),
    pausers: addresses(fields, 'pausers'),
    unpausers: addresses(fields, 'unpausers'),
  }
  const ceilings = readCeilings(fields.take('ceilings'), `${where}.ceilings`, report)
  const adminCodeHash = fields.has('adminCodeHash') ? codeHash(fields, 'adminCodeHash') : undefined
  fields.refuseUnknown()
  return { roles, ceilings, adminCodeHash, unsafe: undefined }
}

function readCeilings(value: unknown, where: string, report: Report): DeploymentConfig['ceilings'] {
  const fields = fieldsOf(value, where, report)
  const ceiling = (name: string) => {
    const own = fieldsOf(fields.take(name), `${where}.${name}`, report)
    const read = {
      capacityMicro: amount(own, 'capacity'),
      refillPerSecondMicro: amount(own, 'refillPerSecond'),
    }
    own.refuseUnknown()
    return read
  }
  const ceilings = { mint: ceiling('mint'), burn: ceiling('burn'), transfer: ceiling('transfer') }
  fields.refuseUnknown()
  return ceilings
}

function amount(fields: Fields, name: string): bigint {
  const field = fields.take(name)
  const parsed = typeof field === 'string' ? parseAmount(field) : undefined
  if (parsed?.ok === true) return parsed.amountMicro
  return fields.wrong(name, 'an amount of coins above zero as a text, such as "2000000"', 0n)
}

function codeHash(fields: Fields, name: string): `0x${string}` {
  const value = fields.take(name)
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)) return value as `0x${string}`
  return fields.wrong(name, '0x and 64 hexadecimal digits in lower case', '0x')
}

function addresses(fields: Fields, name: string): Address[] {
  const value = fields.take(name)
  const rule = `a list of 1 to ${MOST_HOLDERS} checksummed addresses`
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_HOLDERS) return fields.wrong(name, rule, [])
  const read = value.map((one) => fieldsOf({ one }, '', () => {}).address('one'))
  return read.includes('0x0000000000000000000000000000000000000000') ? fields.wrong(name, rule, []) : read
}

/** The address of a key; undefined for one that is already reported as unusable. */
export function addressOf(signer: SignerConfig): Address | undefined {
  if (signer.type === 'remote') return getAddress(signer.address)
  return signer.privateKey === '0x' ? undefined : privateKeyToAddress(signer.privateKey)
}
