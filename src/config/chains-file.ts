/** The chains file: which chains, contracts and keys a live service works with. Keys are named, never held. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ChainConfig, SignerConfig } from '../config.ts'
import { parseAddress } from '../orders/address.ts'
import { type Environment, isUrl } from './settings.ts'
import { isWellKnownKey } from './well-known-keys.ts'

const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Label = Type.String({ minLength: 1, maxLength: 100 })
const WebUrl = Type.String({ pattern: '^https?://', maxLength: 2000 })
const SignerEntry = Type.Union([
  Type.Object({ type: Type.Literal('key'), privateKeyEnv: Label }, { additionalProperties: false }),
  Type.Object({ type: Type.Literal('remote'), url: WebUrl, address: Address }, { additionalProperties: false }),
])
const ChainEntry = Type.Object(
  {
    key: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }),
    name: Label,
    chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    nativeCurrency: Type.Object(
      { name: Label, symbol: Label, decimals: Type.Integer({ minimum: 0, maximum: 36 }) },
      { additionalProperties: false },
    ),
    explorerBaseUrl: WebUrl,
    explorerAddressUrl: Type.Optional(WebUrl),
    explorerTxUrl: Type.Optional(WebUrl),
    confirmations: Type.Integer({ minimum: 1, maximum: 1000 }),
    rpcUrlEnvs: Type.Array(Label, { minItems: 1, maxItems: 10 }),
    quorum: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    pollIntervalMs: Type.Optional(Type.Integer({ minimum: 50, maximum: 60_000 })),
    bumpAfterMs: Type.Optional(Type.Integer({ minimum: 1000, maximum: 3_600_000 })),
    maxFeePerGasGwei: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    coin: Type.Object({ address: Address, name: Label, symbol: Label }, { additionalProperties: false }),
    settlement: Address,
    signers: Type.Array(SignerEntry, { minItems: 1, maxItems: 16 }),
    linker: SignerEntry,
    pauser: SignerEntry,
    sanctionsOracle: Type.Optional(Address),
  },
  { additionalProperties: false },
)
const File = Compile(Type.Object({ chains: Type.Array(ChainEntry, { minItems: 1, maxItems: 50 }) }))

type Entry = Static<typeof ChainEntry>
type Read = { chains: ChainConfig[]; problems: string[] }

/**
 * Reads the chains file.
 * @param env holds the RPC addresses and private keys that the file names
 * @param isLive refuses well-known keys and unencrypted RPC addresses of other machines
 */
export function chainsFromText(text: string, env: Environment, isLive: boolean): Read {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { chains: [], problems: ['The chains file is not valid JSON.'] }
  }
  if (!File.Check(parsed)) {
    const problems = File.Errors(parsed)
      .slice(0, 20)
      .map((error) => {
        return `The chains file is wrong at ${error.instancePath === '' ? 'its top' : error.instancePath}: ${error.message}.`
      })
    return { chains: [], problems: [...new Set(problems)] }
  }
  const problems: string[] = []
  const tell = (sentence: string) => void problems.push(sentence)
  const chains = parsed.chains.map((entry) => chainOf(entry, env, isLive, tell))
  const ids = new Set(chains.map(({ chainId }) => chainId))
  if (ids.size < chains.length) tell('The chains file lists a chainId twice.')
  return { chains, problems }
}

function chainOf(entry: Entry, env: Environment, isLive: boolean, tell: (sentence: string) => void): ChainConfig {
  const say = (sentence: string) => tell(`Chain ${entry.key}: ${sentence}`)
  const signerOf = (signer: Entry['linker']) => readSigner(signer, env, isLive, say)
  const rpcUrls = entry.rpcUrlEnvs.map((name) => readRpcUrl(name, env, isLive, say))
  const { explorerBaseUrl, explorerAddressUrl, explorerTxUrl, coin, settlement } = entry
  for (const address of [coin.address, settlement]) {
    if (parseAddress(address, 'required') === undefined)
      say(`the address ${address} does not have its EIP-55 checksum.`)
  }
  const quorum = entry.quorum ?? Math.floor(rpcUrls.length / 2) + 1
  if (quorum > rpcUrls.length) say('quorum is larger than the number of RPC addresses.')
  const base = explorerBaseUrl.replace(/\/$/, '')
  return {
    key: entry.key,
    name: entry.name,
    chainId: entry.chainId,
    nativeCurrency: entry.nativeCurrency,
    explorerBaseUrl,
    explorerAddressUrl: explorerAddressUrl ?? `${base}/address/`,
    explorerTxUrl: explorerTxUrl ?? `${base}/tx/`,
    confirmations: entry.confirmations,
    rpcUrls,
    quorum,
    pollIntervalMs: entry.pollIntervalMs ?? 1000,
    bumpAfterMs: entry.bumpAfterMs ?? 60_000,
    maxFeePerGasWei: BigInt(entry.maxFeePerGasGwei) * 1_000_000_000n,
    coin: { ...coin, address: coin.address as `0x${string}` },
    settlement: settlement as `0x${string}`,
    signers: entry.signers.map(signerOf),
    linker: signerOf(entry.linker),
    pauser: signerOf(entry.pauser),
    sanctionsOracle: entry.sanctionsOracle as `0x${string}` | undefined,
  }
}

function readSigner(
  signer: Entry['linker'],
  env: Environment,
  isLive: boolean,
  say: (sentence: string) => void,
): SignerConfig {
  if (signer.type === 'remote') {
    if (isLive && !isProtected(signer.url)) say('a remote signer on another machine must be reached by https.')
    return { type: 'remote', url: signer.url, address: signer.address as `0x${string}` }
  }
  const key = env[signer.privateKeyEnv]?.trim() ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) say(`${signer.privateKeyEnv} must hold a private key: 0x and 64 hex digits.`)
  else if (isLive && isWellKnownKey(key)) say(`${signer.privateKeyEnv} holds a key that everybody knows.`)
  return { type: 'key', privateKey: key as `0x${string}` }
}

function readRpcUrl(name: string, env: Environment, isLive: boolean, say: (sentence: string) => void): string {
  const url = env[name]?.trim() ?? ''
  if (!isUrl(url, ['http:', 'https:'])) say(`${name} must hold the RPC address, beginning with https://.`)
  else if (isLive && !isProtected(url)) say(`${name} must begin with https:// unless it is on this machine.`)
  return url
}

function isProtected(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(parsed?.hostname ?? '')
}
