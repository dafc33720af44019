/** Says once a minute what the reserves are, signed and stored, so that no chain is read when somebody asks. */
import type { Logger } from 'pino'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { ChainError, ChainUnreadableError } from '../chain-errors.ts'
import type { Database, Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { formatAmount } from '../money.ts'
import { isPaymentUnbooked, readBankBalances } from '../statements/balances.sql.ts'
import { createLoop, type Pause, type WorkLoop } from '../work-loop.ts'
import { readCoinsElsewhere } from './elsewhere.ts'
import { readReserveFacts } from './facts.sql.ts'
import { type LostCoins, readLostCoins } from './lost-coins.sql.ts'
import { readDecidedBlock, readLastFinal, readMissing, storeProof } from './proofs.sql.ts'
import { type SignedReserves, type StatedLost, type StatedReserves, typedDataOf } from './statement.ts'

const POLL_MS = 60_000
/** Until a chain that could not be read is read again. */
const AGAIN_MS = 5_000
/** For as long a chain may be unreadable without a word: nodes that have just begun may not have the state of a block before that. */
const PATIENCE_MS = 15_000

/** A chain as far as a proof needs it. `finalSupply`: at the newest final block, or at `notAbove` where that is lower; throws ChainError. */
export type ProvenChain = {
  config: { chainId: number; coin: { address: Address } }
  reader: {
    finalSupply(
      notAbove?: bigint,
    ): Promise<{ blockNumber: bigint; blockHash: Hex; supplyMicro: bigint; lastBatchId: bigint }>
  }
}

export type ProverDeps = {
  db: Database
  chains: readonly ProvenChain[]
  logger: Logger
  /** 32 bytes. */
  key: Uint8Array
  againMs?: number
  patienceMs?: number
}

/** Makes the worker. Several processes may each have one: the newest proof counts. */
export function createProver(deps: ProverDeps): WorkLoop {
  const { logger, againMs = AGAIN_MS, patienceMs = PATIENCE_MS } = deps
  let unread: { sinceMs: number; isSaid: boolean } | undefined
  const afterUnread = ({ message: reason }: ChainError): Pause => {
    unread ??= { sinceMs: performance.now(), isSaid: false }
    const isNews = !unread.isSaid && performance.now() - unread.sinceMs >= patienceMs
    if (isNews) unread.isSaid = true
    logger[isNews ? 'error' : 'debug']({ reason }, 'the reserves are not proven: a chain cannot be read')
    return { ms: againMs, wakeable: true }
  }
  const afterRead = (): void => {
    if (unread?.isSaid === true) logger.info({}, 'every chain that the reserves are proven on can be read again')
    unread = undefined
  }
  return createLoop({
    name: 'reserves',
    logger,
    async work() {
      try {
        const proof = await proveReserves(deps)
        if (proof !== undefined) afterRead()
        else
          logger.warn(
            {},
            'the reserves are not proven while payments on a statement are not booked: the last proof stays',
          )
        return { ms: POLL_MS, wakeable: true }
      } catch (error) {
        if (error instanceof ChainError) return afterUnread(error)
        throw error
      }
    },
  })
}

/**
 * Reads all chains and the books, signs what they say, and stores it.
 * @returns undefined, and nothing was signed, while payments that a statement shows are not booked: what left the bank with them would still
 * be on its way, and what came back owed to nobody
 * @throws ChainError where a chain with coin on it cannot be read, or is not among `chains`, and is not lost; or has batches that the database does not have yet
 */
export async function proveReserves({
  db,
  chains,
  key,
}: Omit<ProverDeps, 'logger'>): Promise<SignedReserves | undefined> {
  // Proofs of several processes follow one another by it.
  const madeAt = wholeSeconds(await readNow(db))
  // Before any chain is read: what is burnt meanwhile would be owed, and in the supply of the block before it, too.
  const read = await readBooks(db, chains)
  if (read === undefined) return undefined
  const supplies = await Promise.all(read.there.map(readSupply))
  const lost = read.lost.map(sayLost)
  const stated = { madeAt, supplies, ...(lost.length === 0 ? {} : { lost }), ...read.books }
  const account = privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
  const signature = await account.signTypedData(typedDataOf(stated))
  const signed = { ...stated, signer: account.address, signature }
  await storeProof(db, signed)
  return signed
}

/**
 * At the newest block that counts as final, named by its hash: another history has another one. Not above what the books have: coin that was
 * burnt above that exists no more, and is not owed yet. Nor is what was burnt by batches that a restore has lost, until a settler has read them.
 */
async function readSupply({ chain, decided, lastFinal }: There): Promise<StatedReserves['supplies'][number]> {
  const { config, reader } = chain
  const { blockNumber, blockHash, supplyMicro, lastBatchId } = await reader.finalSupply(decided)
  if (lastBatchId > lastFinal)
    throw new ChainUnreadableError(
      `chain ${config.chainId} has batches up to ${lastBatchId} in block ${blockNumber}, of which the database has those up to ${lastFinal}`,
    )
  return {
    chainId: config.chainId,
    coin: config.coin.address,
    blockNumber: String(blockNumber),
    blockHash,
    supplyMicro: String(supplyMicro),
  }
}

/** What is signed has whole seconds; written with milliseconds, as every time in an answer is. */
const wholeSeconds = (instant: Date) => instant.toISOString().replace(/\.\d{3}Z$/, '.000Z')

function sayLost({ chainId, coin, lostAt, coinsMicro }: LostCoins): StatedLost {
  return { chainId, coin: coin as Address, lostAt: wholeSeconds(lostAt), supplyMicro: String(coinsMicro) }
}

/** @throws ChainUnreadableError: a proof that leaves out a chain with coin on it would say that there is less of it than there is */
async function requireEveryChain(tx: Queryable, chains: readonly { config: { chainId: number } }[]): Promise<void> {
  // Less than none was written past the service, and is left out of no proof.
  const elsewhere = (await readCoinsElsewhere(tx, chains)).filter(({ coinsMicro }) => coinsMicro > 0n)
  const said = elsewhere.map(({ chainId, coinsMicro }) => `${formatAmount(coinsMicro)} coin on chain ${chainId}`)
  if (said.length > 0)
    throw new ChainUnreadableError(`the books have ${said.join(', ')}, which the chains file does not name`)
}

type Books = Omit<StatedReserves, 'madeAt' | 'supplies' | 'lost'>
/** With the block of each chain up to which every batch is in the books, and the last of these. `there`: nobody asks the chains that are lost. */
type Read = { books: Books; lost: LostCoins[]; there: There[] }
type There = { chain: ProvenChain; decided: bigint | undefined; lastFinal: bigint }

/** As of one moment. */
async function readBooks(db: Database, chains: readonly ProvenChain[]): Promise<Read | undefined> {
  const read = await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    if (await isPaymentUnbooked(tx)) return undefined
    const lost = await readLostCoins(tx)
    await requireEveryChain(tx, [...chains, ...lost.map((config) => ({ config }))])
    const there: Read['there'] = []
    for (const chain of chains) {
      const { chainId } = chain.config
      if (lost.some((each) => each.chainId === chainId)) continue
      there.push({
        chain,
        decided: await readDecidedBlock(tx, chainId),
        lastFinal: await readLastFinal(tx, chainId),
      })
    }
    const missingMicro = await readMissing(tx)
    return { ...(await readReserveFacts(tx)), banks: await readBankBalances(tx), there, lost, missingMicro }
  })
  if (read === undefined) return undefined
  const { payableMicro, residualMicro, missingMicro, clearingMicro, banks, there, lost } = read
  const statements = banks.map(({ bankAccount, closedOn, closingMicro, creditsSinceMicro }) => ({
    account: bankAccount,
    closedOn,
    closingMicro: String(closingMicro),
    creditsSinceMicro: String(creditsSinceMicro),
  }))
  const sums = {
    payableMicro: String(payableMicro),
    residualMicro: String(residualMicro),
    ...(missingMicro === 0n ? {} : { missingMicro: String(missingMicro) }),
    clearingMicro: String(clearingMicro),
  }
  return { books: { statements, ...sums }, there, lost }
}
