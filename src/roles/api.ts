/** The role `api`: answers partners. */
import type { AddressInfo } from 'node:net'
import type { Chain } from '../chain/chain.ts'
import { linkAccount } from '../chain/instructions.ts'
import { ChainUnreadableError } from '../chain-errors.ts'
import { tellAhead } from '../events/ahead.ts'
import { createHeldBack } from '../events/held-back.sql.ts'
import { createApp } from '../http/app.ts'
import { createMemoryRateCounter, type RateCounter } from '../http/rate-counter.ts'
import { createRedisRateCounter } from '../http/redis-rate-counter.ts'
import type { SandboxRoutes } from '../http/route.ts'
import { recordKeyUses } from '../integrations/key-uses.sql.ts'
import { createKeyUses } from '../integrations/key-uses.ts'
import { forScrape } from '../metrics/scrape.ts'
import { type AcceptanceService, createAcceptance } from '../orders/accept/service.ts'
import type { WalletReader } from '../orders/ports.ts'
import { requireOwnContracts } from '../settlement/own-contracts.ts'
import { listenOn } from '../start/start-failure.ts'
import { type Closers, type Parts, startWorking } from './parts.ts'

export type Api = { address: AddressInfo; acceptance: AcceptanceService }

/** What a sandbox adds to the partner API. */
export type SandboxAdditions = {
  wallets(reader: WalletReader): WalletReader
  routes(acceptance: AcceptanceService): SandboxRoutes
}

export type ApiHooks = {
  /** Called for each order that awaits settlement. */
  onAccepted: (chainId: number) => void
  /** Makes what must exist before requests are answered. */
  beforeListening: (acceptance: AcceptanceService) => Promise<unknown>
  /** Undefined in live. */
  sandbox: SandboxAdditions | undefined
}

/**
 * Starts the partner API on HOST and PORT.
 * @throws StartError when the port is taken; DatabaseUnsuitableError when the database belongs to other contracts
 */
export async function startApi(parts: Parts, hooks: ApiHooks, closers: Closers): Promise<Api> {
  const { config, db, logger, defaultChainId, metrics } = parts
  metrics.showEventsHeldBack(forScrape(createHeldBack(db)))
  await requireOwnContracts(db, parts.chains)
  void tellAhead(parts)
  const offered = parts.lost.offered(new Map(parts.chains.map((chain) => [chain.config.chainId, chain])))
  metrics.showOffered(() => offered.keys())
  const acceptance = acceptanceOf(parts, hooks)
  const keyUses = createKeyUses({ logger, record: (uses) => recordKeyUses(db, uses) })
  startWorking(keyUses, closers)
  const app = createApp({
    config,
    db,
    acceptance,
    chains: offered,
    defaultChainId,
    rateCounter: rateCounterOf(parts, closers),
    noteUse: keyUses.note,
    logger,
    metrics: metrics.http,
    sandbox: hooks.sandbox?.routes(acceptance),
  })
  closers.push(() => app.drain(config.drainMs))
  await hooks.beforeListening(acceptance)
  const { host, port } = config
  await listenOn(() => app.listen({ host, port }), { host, port, setting: 'PORT' })
  const address = app.server.address() as AddressInfo
  logger.info({ host: address.address, port: address.port }, 'partner API listening')
  return { address, acceptance }
}

/** Makes the acceptance of orders over the configured chains. */
function acceptanceOf(
  parts: Parts,
  { onAccepted, sandbox }: Pick<ApiHooks, 'onAccepted' | 'sandbox'>,
): AcceptanceService {
  const { config, db, chains, defaultChainId, lost } = parts
  const facts = chains.map(({ config: { chainId, name, coin, settlement, sanctionsOracle } }) => {
    const contracts = [coin.address, settlement]
    const hasSanctionsOracle = sanctionsOracle !== undefined
    return [chainId, { chainId, network: name, tokenAddress: coin.address, contracts, hasSanctionsOracle }] as const
  })
  const wallets = walletReaderOf(chains)
  return createAcceptance({
    db,
    chains: lost.offered(new Map(facts)),
    defaultChainId,
    policy: config.policy,
    wallets: sandbox?.wallets(wallets) ?? wallets,
    onAccepted,
  })
}

function walletReaderOf(chains: readonly Chain[]): WalletReader {
  const readers = new Map(chains.map(({ config, reader }) => [config.chainId, reader]))
  const readerOf = (chainId: number) => {
    const reader = readers.get(chainId)
    if (reader === undefined) throw new ChainUnreadableError(`chain ${chainId} is not configured`)
    return reader
  }
  return {
    balanceAt: async (chainId, address, blockNumber) => readerOf(chainId).balanceAt(address, blockNumber),
    isLinked: async (chainId, address, { integrationId, customerId }) =>
      readerOf(chainId).isLinkedTo(address, linkAccount(integrationId, customerId)),
    isFrozen: async (chainId, address) => readerOf(chainId).isFrozen(address),
    isSanctioned: async (chainId, address) => readerOf(chainId).isSanctioned(address),
  }
}

function rateCounterOf({ config, logger, metrics }: Parts, closers: Closers): RateCounter {
  if (config.redisUrl === undefined) return createMemoryRateCounter()
  const counter = createRedisRateCounter({ url: config.redisUrl, logger, answers: metrics.showRedis() })
  closers.push(async () => counter.close())
  return counter
}
