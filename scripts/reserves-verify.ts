/**
 * Checks a proof of reserves as a stranger: who has signed it, how old it is, and whether the chains say the same.
 * `npm run reserves:verify -- https://partner.example/reserves --signer 0x… --rpc https://rpc.example`
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { verifyProof } from '../src/reserves/verify.ts'
import { parseInstant } from '../src/values/instant.ts'

const USAGE = `npm run reserves:verify -- URL --rpc RPC_URL [--rpc RPC_URL…] [--signer 0xADDRESS] [--coin CHAIN:0xADDRESS…] [--lost CHAIN…] [--max-age MINUTES] [--max-statement-age DAYS] [--as-of INSTANT]
  URL      where the issuer serves the proof, such as https://partner.example/reserves; or a file with one
  --rpc    a node of your own for each chain on which you know the coin to be
  --signer the address that the issuer has published; without it, compare what is printed
  --coin   the coin's address on a chain, as you know it; without it, compare what is printed
  --lost   a chain that you know to be gone for good, of which no node can say how much coin there was
  --max-age  how old it may be, in minutes; 60 without it
  --max-statement-age  how many days ago the day may have ended that the statement of an account with money closes; 7 without it
  --as-of  the instant at which it is to be true, such as 2027-01-01T00:00:00+08:00; now without it. The nodes need the state of that time`

/** What others wrote must not control a terminal. */
const plain = (line: string) => line.replace(/\p{C}/gu, ' ')

/** @throws Error for what is no address: the proof would be blamed for it */
function requireAddress(text: string): void {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error(`--signer must be 0xADDRESS, not ${text}.`)
}

/** @throws Error for what is no address of a node. It does not say all of it: the path of one is often the key to it */
function requireNode(text: string): void {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol === 'http:' || protocol === 'https:') return
  const [begins = ''] = /^(?:\w+:\/\/)?[^/?#]*/.exec(text) ?? []
  const shown = begins.replace(/^(\w+:\/\/)?.*@/, '$1')
  throw new Error(`--rpc must be the URL of a node, such as https://rpc.example, not ${shown}.`)
}

/** An address that serves a proof, or a file that holds one. */
function targetOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return pathToFileURL(text)
  if (url.pathname === '/') url.pathname = '/reserves'
  return url
}

/** @throws Error for what names no instant in every time zone alike */
function instantOf(text: string): () => number {
  const instant = parseInstant(text)
  if (instant === undefined || !text.includes('T'))
    throw new Error(`--as-of must be an instant, such as 2027-01-01T00:00:00+08:00, not ${text}.`)
  return () => instant.at.getTime()
}

/** @throws Error for what is not CHAIN:0xADDRESS */
function coinOf(text: string): [number, string] {
  const [, chainId, address] = /^([1-9]\d{0,14}):(0x[0-9a-fA-F]{40})$/.exec(text) ?? []
  if (chainId === undefined || address === undefined) throw new Error(`--coin must be CHAIN:0xADDRESS, not ${text}.`)
  return [Number(chainId), address]
}

/** @throws Error for what is no chain id */
function chainOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error(`--lost must be the id of a chain, not ${text}.`)
  return Number(text)
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      signer: { type: 'string' },
      rpc: { type: 'string', multiple: true, default: [] },
      coin: { type: 'string', multiple: true, default: [] },
      lost: { type: 'string', multiple: true, default: [] },
      'max-age': { type: 'string', default: '60' },
      'max-statement-age': { type: 'string', default: '7' },
      'as-of': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const [url] = positionals
  const maxAgeMinutes = Number(values['max-age'])
  const maxStatementAgeDays = Number(values['max-statement-age'])
  if (values.help) console.log(USAGE)
  else if (
    url === undefined ||
    values.rpc.length + values.lost.length === 0 ||
    !(maxAgeMinutes > 0 && maxStatementAgeDays > 0)
  ) {
    console.error(USAGE)
    process.exitCode = 2
  } else {
    const target = targetOf(url)
    const maxAgeMs = maxAgeMinutes * 60_000
    const coins = new Map(values.coin.map(coinOf))
    const lost = new Set(values.lost.map(chainOf))
    if (values.signer !== undefined) requireAddress(values.signer)
    values.rpc.forEach(requireNode)
    const { problems, lines } = await verifyProof({
      url: target.href,
      signer: values.signer,
      rpcUrls: values.rpc,
      coins,
      lost,
      maxAgeMs,
      maxStatementAgeMs: maxStatementAgeDays * 86_400_000,
      ...(values['as-of'] === undefined ? {} : { nowMs: instantOf(values['as-of']) }),
    })
    for (const line of lines) console.log(plain(line))
    for (const problem of problems) console.error(`WRONG: ${plain(problem)}`)
    if (problems.length > 0) process.exitCode = 1
    else if (values.signer !== undefined) console.log('All of this was checked.')
    else console.log('All of this was checked, but not whose address has signed it: give --signer for that.')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  console.error(USAGE)
  process.exitCode = 2
}
