/** Checks a proof of reserves with nothing but its address, its signer's, and nodes of one's own. */
import { BlockNotFoundError, createPublicClient, getAddress, type Hex, http, parseAbi } from 'viem'
import { formatAmount } from '../money.ts'
import { fetchProof, TIMEOUT_MS } from './fetch-proof.ts'
import { coverOf, type SignedReserves, type StatedLost, type StatedSupply, signerOf } from './statement.ts'
import { APART_MS, checkDays, STATEMENT_AGE_MS } from './statement-days.ts'

const SUPPLY = parseAbi(['function totalSupply() view returns (uint256)'])

export type ToVerify = {
  url: string
  /** The address that the issuer has published. Without it only the signer that the proof itself names is compared. */
  signer: string | undefined
  rpcUrls: readonly string[]
  /** Chain → the coin's address there, as the verifier knows it: the issuer may say the supply of another one. */
  coins?: ReadonlyMap<number, string>
  /** Chains that the verifier knows to be gone for good: of any other that is called lost, that is a problem. */
  lost?: ReadonlySet<number>
  maxAgeMs: number
  /** How long ago the day may have ended that the statement of an account with money in it closes. */
  maxStatementAgeMs?: number
  nowMs?: () => number
}

/** `problems`: a sentence for each thing that is not as it says. `lines`: what was found. */
export type Verdict = { problems: string[]; lines: string[] }

/** Fetches the proof and checks it. Whatever cannot be checked is a problem. */
export async function verifyProof(asked: ToVerify): Promise<Verdict> {
  const { url, signer, maxAgeMs, maxStatementAgeMs = STATEMENT_AGE_MS, nowMs = Date.now } = asked
  const proof = await fetchProof(url)
  if (typeof proof === 'string') return { problems: [proof], lines: [] }
  const problems: string[] = []
  const lines: string[] = []
  try {
    const actual = await signerOf(proof)
    const expected = getAddress(signer ?? proof.signer)
    if (actual !== expected) problems.push(`It is signed by ${actual}, not by ${expected}.`)
    lines.push(`signed by ${actual} at ${proof.madeAt}`)
    const ageMs = nowMs() - Date.parse(proof.madeAt)
    if (!(ageMs <= maxAgeMs)) problems.push(`It was made at ${proof.madeAt}: it is too old.`)
    if (ageMs < -APART_MS) problems.push(`It was made at ${proof.madeAt}, which is in the future.`)
    problems.push(...(await checkSupplies(proof, { ...asked, youngestMs: nowMs() - maxAgeMs })))
    for (const each of proof.supplies)
      lines.push(
        `chain ${each.chainId}, coin ${each.coin}, block ${each.blockNumber}: ${amount(each.supplyMicro)} coin`,
      )
    for (const each of proof.lost ?? [])
      lines.push(
        `chain ${each.chainId}, coin ${each.coin}, lost since ${each.lostAt}: ${amount(each.supplyMicro)} coin, as the issuer has it, which no node can show`,
      )
    lines.push(...linesOfSums(proof))
    problems.push(...checkSums(proof), ...checkDays(proof, nowMs(), maxStatementAgeMs))
    const { availableMicro, owedMicro } = coverOf(proof)
    lines.push(`RM ${formatAmount(availableMicro)} stand behind RM ${formatAmount(owedMicro)}`)
    if (availableMicro < owedMicro) problems.push('The reserve is less than what is owed.')
  } catch {
    problems.push('What it says is malformed.')
  }
  return { problems, lines }
}

/** Whatever the sum is made of, so that somebody who knows the bank, or the books, sees what does not belong to it. */
function linesOfSums({
  statements,
  payableMicro,
  residualMicro,
  missingMicro,
  clearingMicro,
}: SignedReserves): string[] {
  return [
    ...statements.map(
      ({ account, closedOn, closingMicro, creditsSinceMicro }) =>
        `bank account ${account}, ${closedOn}: RM ${amount(closingMicro)}, and since then RM ${amount(creditsSinceMicro)}`,
    ),
    `of that RM ${amount(clearingMicro)} are on their way out, or perhaps on two accounts`,
    `owed for burnt coin: RM ${amount(payableMicro)}, and RM ${amount(residualMicro)} in parts of a sen`,
    ...(missingMicro === undefined
      ? []
      : [`gone from a chain, and perhaps owed, though in no books yet: RM ${amount(missingMicro)}`]),
  ]
}

/** What went out too early of parts of a sen, for each customer less than a sen, may be more than what is owed of them; never so much. */
const MOST_PARTS_MICRO = 1_000_000n

/** A sum may hide that the reserve is too little: by a debt below nothing, or by an account that is there twice. */
function checkSums({
  statements,
  payableMicro,
  residualMicro,
  missingMicro = '0',
  clearingMicro,
}: SignedReserves): string[] {
  const least = [
    ['is owed for burnt coin', payableMicro, 0n],
    ['is owed in parts of a sen', residualMicro, -MOST_PARTS_MICRO],
    ['is owed for coin that is gone', missingMicro, 0n],
    ['is on its way out', clearingMicro, 0n],
  ] as const
  const names = statements.map(({ account }) => account)
  return [
    ...least
      .filter(([, micro, leastMicro]) => BigInt(micro) < leastMicro)
      .map(([what, micro]) => `It says that less than nothing ${what}: RM ${amount(micro)}.`),
    ...new Set(
      names
        .filter((name, index) => names.indexOf(name) !== index)
        .map((name) => `It has the bank account ${name} twice.`),
    ),
  ]
}

type Checking = Pick<ToVerify, 'rpcUrls' | 'coins' | 'lost'> & {
  /** A block that another one has followed before this is too old to say how much coin there is. */
  youngestMs: number
}

async function checkSupplies(
  { supplies, lost = [] }: Pick<SignedReserves, 'supplies' | 'lost'>,
  checking: Checking,
): Promise<string[]> {
  const { rpcUrls, coins = new Map<number, string>(), lost: known = new Set<number>() } = checking
  const clients = rpcUrls.map((url) => createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS }) }))
  const ids = await Promise.all(clients.map((client) => client.getChainId().catch(() => undefined)))
  const silent = rpcUrls.filter((_, index) => ids[index] === undefined).map((url) => new URL(url).host)
  // Of a lost chain nobody has a node: whoever knows of it is the only one who misses its coin.
  const expected = new Set([...ids.filter((id) => id !== undefined), ...coins.keys(), ...known])
  const leftOut = [...expected].filter((id) => [...supplies, ...lost].every(({ chainId }) => chainId !== id))
  const found = await Promise.all(
    supplies.map(async (supply): Promise<string[]> => {
      const ofChain = clients.filter((_, index) => ids[index] === supply.chainId)
      if (ofChain.length === 0) return [`No node was given for chain ${supply.chainId}: its supply was not checked.`]
      try {
        return (await Promise.all(ofChain.map((client) => checkSupply(supply, client, checking)))).flat()
      } catch {
        return [`The node of chain ${supply.chainId} does not answer for block ${supply.blockNumber}.`]
      }
    }),
  )
  return [
    ...silent.map((host) => `The node ${host} does not answer.`),
    ...leftOut.map((chainId) => `It says nothing of the coin on chain ${chainId}.`),
    ...lost.flatMap((each) => checkLost(each, ids.includes(each.chainId), checking)),
    ...new Set(found.flat()),
  ]
}

/** Whoever calls a chain lost on which there is coin says how much that is, and nobody can look. */
function checkLost({ chainId, coin, supplyMicro }: StatedLost, isThere: boolean, { coins, lost }: Checking): string[] {
  const known = coins?.get(chainId)
  return [
    ...(isThere ? [`It calls chain ${chainId} lost, and a node of it answers.`] : []),
    ...(lost?.has(chainId) === true
      ? []
      : [`It calls chain ${chainId} lost: if you know that it is, name it with --lost ${chainId}.`]),
    ...(known !== undefined && getAddress(known) !== getAddress(coin)
      ? [`On chain ${chainId} it says the supply of ${getAddress(coin)}, not of ${getAddress(known)}.`]
      : []),
    ...(BigInt(supplyMicro) < 0n ? [`On chain ${chainId} it says that there was less than no coin.`] : []),
  ]
}

type Client = ReturnType<typeof createPublicClient>

async function checkSupply(
  { chainId, coin, blockNumber, blockHash, supplyMicro }: StatedSupply,
  client: Client,
  { coins, youngestMs }: Checking,
): Promise<string[]> {
  const number = BigInt(blockNumber)
  const [block, supply, followedAtMs] = await Promise.all([
    client.getBlock({ blockNumber: number }),
    client.readContract({ address: coin, abi: SUPPLY, functionName: 'totalSupply', blockNumber: number }),
    timeOf(client, number + 1n),
  ])
  const problems: string[] = []
  const known = coins?.get(chainId)
  if (known !== undefined && getAddress(known) !== getAddress(coin))
    problems.push(`On chain ${chainId} it says the supply of ${getAddress(coin)}, not of ${getAddress(known)}.`)
  if (block.hash !== (blockHash as Hex)) problems.push(`Block ${blockNumber} of chain ${chainId} has another hash.`)
  // Of an idle chain the newest block may be old, and still says how much there is.
  if (followedAtMs !== undefined && followedAtMs < youngestMs)
    problems.push(
      `Block ${blockNumber} of chain ${chainId} is too old: another one followed it at ${iso(followedAtMs)}.`,
    )
  if (supply !== BigInt(supplyMicro))
    problems.push(`On chain ${chainId}, ${amount(String(supply))} coin exist, not ${amount(supplyMicro)}.`)
  return problems
}

/** The time of a block; undefined while there is no such block. */
async function timeOf(client: Client, blockNumber: bigint): Promise<number | undefined> {
  try {
    return Number((await client.getBlock({ blockNumber })).timestamp) * 1_000
  } catch (error) {
    if (error instanceof BlockNotFoundError) return undefined
    throw error
  }
}

const iso = (ms: number) => new Date(ms).toISOString()

function amount(micro: string): string {
  return formatAmount(BigInt(micro))
}
