/**
 * The file that `CHAINS_FILE` names → chains. Keys and secret addresses are never written in it, only the names of the
 * environment variables that hold them.
 */
import { trimEndOf } from '../values/trim-end.ts'
import { readDeployment } from './deployment.ts'
import type { Environment } from './environment.ts'
import { type Fields, fieldsOf, isSafeUrl } from './fields.ts'
import type { ChainConfig, SignerConfig } from './types.ts'

const MAX_CHAINS = 50
const MAX_RPC_URLS = 9
const MAX_SIGNERS = 32
const VARIABLE_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
const ONE_GWEI_WEI = 1_000_000_000n

/**
 * Parses `{ "chains": [ … ] }` as docs/OPERATIONS.md and docs/samples/chains.schema.json describe it.
 * @param settings resolves the environment variables that the file names, and collects the problems
 * @param signs whether this process signs batches: others may leave `signers` out
 */
export function parseChainsFile(text: string, settings: Environment, signs: boolean): ChainConfig[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    settings.report('CHAINS_FILE is not valid JSON.')
    return []
  }
  const file = fieldsOf(parsed, 'CHAINS_FILE', settings.report)
  const entries = list(file, 'chains', MAX_CHAINS)
  file.take('$schema')
  file.refuseUnknown()
  const chains = entries.map((entry, index) => readChain(entry, `CHAINS_FILE chains[${index}]`, settings, signs))
  for (const name of ['key', 'chainId'] as const) {
    if (new Set(chains.map((chain) => chain[name])).size < chains.length) {
      settings.report(`CHAINS_FILE has two chains with the same ${name}.`)
    }
  }
  return chains
}

function readChain(entry: unknown, where: string, settings: Environment, signs: boolean): ChainConfig {
  const fields = fieldsOf(entry, where, settings.report)
  const explorer = fieldsOf(fields.take('explorer'), `${where}.explorer`, settings.report)
  const explorerBaseUrl = explorer.url('baseUrl')
  const rpcUrls = list(fields, 'rpcUrls', MAX_RPC_URLS).map((one, index) => readRpcUrl(one, index, where, settings))
  const signers =
    fields.has('signers') || signs
      ? list(fields, 'signers', MAX_SIGNERS).map((one, index) =>
          readSigner(one, `${where}.signers[${index}]`, settings),
        )
      : []
  const key = (name: string) =>
    fields.has(name) ? readSigner(fields.take(name), `${where}.${name}`, settings) : undefined
  const linker = key('linker')
  const chain: ChainConfig = {
    key: fields.text('key'),
    name: fields.text('name'),
    chainId: fields.integer('chainId', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    nativeCurrency: readCurrency(fields.take('nativeCurrency'), `${where}.nativeCurrency`, settings),
    explorerBaseUrl,
    explorerAddressUrl: explorer.has('addressUrl')
      ? explorer.url('addressUrl')
      : `${trimSlash(explorerBaseUrl)}/address/`,
    explorerTxUrl: explorer.has('txUrl') ? explorer.url('txUrl') : `${trimSlash(explorerBaseUrl)}/tx/`,
    confirmations: fields.integer('confirmations', { min: 1, max: 10_000 }),
    finality: readFinality(fields),
    rpcUrls,
    quorum: fields.integer('quorum', {
      min: 1,
      max: Math.max(1, rpcUrls.length),
      fallback: majorityOf(rpcUrls.length),
    }),
    pollIntervalMs: fields.integer('pollIntervalMs', { min: 50, max: 60_000, fallback: 1_000 }),
    bumpAfterBlocks: fields.integer('bumpAfterBlocks', { min: 1, max: 10_000, fallback: 10 }),
    ...readFees(fields),
    coin: readCoin(fields.take('coin'), `${where}.coin`, settings),
    settlement: fields.address('settlement'),
    signers,
    linker,
    freezer: key('freezer'),
    pauser: key('pauser'),
    unpauser: key('unpauser'),
    deployment: fields.has('deployment')
      ? readDeployment(fields.take('deployment'), `${where}.deployment`, { signers, linker }, settings.report)
      : undefined,
    sanctionsOracle: fields.has('sanctionsOracle') ? fields.address('sanctionsOracle') : undefined,
  }
  explorer.refuseUnknown()
  fields.refuseUnknown()
  return chain
}

function readFinality(fields: Fields): ChainConfig['finality'] {
  const value = fields.has('finality') ? fields.take('finality') : 'depth'
  return value === 'depth' || value === 'finalized'
    ? value
    : fields.wrong('finality', '"depth" or "finalized"', 'depth')
}

function readFees(fields: Fields) {
  const gwei = (name: string, fallbackWei?: bigint) =>
    fallbackWei !== undefined && !fields.has(name)
      ? fallbackWei
      : BigInt(fields.integer(name, { min: 1, max: 1_000_000 })) * ONE_GWEI_WEI
  const maxFeePerGasWei = gwei('maxFeePerGasGwei')
  return {
    maxFeePerGasWei,
    maxPriorityFeePerGasWei: gwei('maxPriorityFeePerGasGwei', maxFeePerGasWei / 10n),
    stopMaxFeePerGasWei: gwei('stopMaxFeePerGasGwei', maxFeePerGasWei * 10n),
  }
}

function readCurrency(entry: unknown, where: string, settings: Environment): ChainConfig['nativeCurrency'] {
  const fields = fieldsOf(entry, where, settings.report)
  const decimals = fields.integer('decimals', { min: 0, max: 36, fallback: 18 })
  const currency = { name: fields.text('name'), symbol: fields.text('symbol'), decimals }
  fields.refuseUnknown()
  return currency
}

function readCoin(entry: unknown, where: string, settings: Environment): ChainConfig['coin'] {
  const fields = fieldsOf(entry, where, settings.report)
  const coin = { address: fields.address('address'), name: fields.text('name'), symbol: fields.text('symbol') }
  fields.refuseUnknown()
  return coin
}

/** An address, or `{ "env": "NAME" }` for one that holds a secret. */
function readRpcUrl(entry: unknown, index: number, where: string, settings: Environment): string {
  const rule = 'an https address (http only to this machine), or { "env": "NAME" } with a variable that holds one'
  if (typeof entry === 'string') {
    if (!isSafeUrl(entry)) settings.report(`${where}.rpcUrls[${index}] must be ${rule}.`)
    return entry
  }
  const fields = fieldsOf(entry, `${where}.rpcUrls[${index}]`, settings.report)
  const url = urlOfVariable(fields, 'env', settings)
  fields.refuseUnknown()
  return url
}

/** The address in the environment variable that a field names. */
function urlOfVariable(fields: Fields, field: string, settings: Environment): string {
  const name = variableName(fields, field)
  if (name === undefined) return ''
  const url = settings.underName(name)
  if (!isSafeUrl(url))
    settings.report(`${name} (named by ${fields.where}) must be an https address (http only to this machine).`)
  return url ?? ''
}

function readSigner(entry: unknown, where: string, settings: Environment): SignerConfig {
  const fields = fieldsOf(entry, where, settings.report)
  const type = fields.take('type')
  let signer: SignerConfig = { type: 'key', privateKey: '0x' }
  if (type === 'remote') signer = { type, url: readRemoteUrl(fields, settings), address: fields.address('address') }
  else if (type === 'key') signer = { type, privateKey: readPrivateKey(fields, settings) }
  else fields.wrong('type', '"key" or "remote"', undefined)
  if (type === 'key' || type === 'remote') fields.refuseUnknown()
  return signer
}

function readRemoteUrl(fields: Fields, settings: Environment): string {
  return fields.has('urlEnv') ? urlOfVariable(fields, 'urlEnv', settings) : fields.url('url')
}

/** secp256k1 keys are 32 bytes between 1 and the order of the group, exclusive. */
function readPrivateKey(fields: Fields, settings: Environment): `0x${string}` {
  const name = variableName(fields, 'privateKeyEnv')
  if (name === undefined) return '0x'
  const value = settings.underName(name)
  const digits = value?.replace(/^0x/, '')
  if (digits !== undefined && /^[0-9a-fA-F]{64}$/.test(digits) && isScalar(BigInt(`0x${digits}`))) {
    return `0x${digits.toLowerCase()}`
  }
  settings.report(`${name} (named by ${fields.where}) must be a private key of 64 hexadecimal digits.`)
  return '0x'
}

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function isScalar(key: bigint): boolean {
  return key > 0n && key < SECP256K1_ORDER
}

function variableName(fields: Fields, name: string): string | undefined {
  const value = fields.take(name)
  if (typeof value === 'string' && VARIABLE_PATTERN.test(value)) return value
  return fields.wrong(name, 'the name of an environment variable', undefined)
}

function list(fields: Fields, name: string, max: number): unknown[] {
  const value = fields.take(name)
  if (Array.isArray(value) && value.length > 0 && value.length <= max) return value
  return fields.wrong(name, `a list of 1 to ${max} entries`, [])
}

function majorityOf(count: number): number {
  return Math.floor(count / 2) + 1
}

function trimSlash(url: string): string {
  return trimEndOf(url, '/')
}
