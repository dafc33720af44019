/** Balances of a wallet, read from the chains. */
import type { Static } from 'typebox'
import { badField } from '../../bad-fields.ts'
import { ChainUnreadableError } from '../../chain-errors.ts'
import { ApiError, refused } from '../../errors.ts'
import { isExact } from '../../http-server/exact-number.ts'
import { COIN_DECIMALS, formatAmount } from '../../money.ts'
import { parseAddress } from '../../orders/address.ts'
import { readObservedBlocks } from '../../orders/read/observed-blocks.sql.ts'
import { successBody } from '../envelope.ts'
import type { ApiChain, ReadRoute } from '../route.ts'
import { Balances, EXAMPLE_BALANCES } from '../schemas/balances.ts'
import { anyCaseAddress, ChainId, EXAMPLE_WALLET } from '../schemas/values.ts'

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/

const getBalances: ReadRoute = {
  kind: 'read',
  operationId: 'getBalances',
  method: 'GET',
  path: '/balances/{walletAddress}',
  tag: 'Balances',
  summary: 'Read the on-chain balances of a wallet',
  description: 'With `chainId` one entry, without it one per configured chain. Each call reads the chains.',
  parameters: [
    {
      name: 'walletAddress',
      in: 'path',
      required: true,
      description: 'Checksummed, or all lower or all upper case.',
      schema: anyCaseAddress('The wallet.'),
      example: EXAMPLE_WALLET,
    },
    { name: 'chainId', in: 'query', required: false, description: 'Only this chain.', schema: ChainId, example: 84532 },
  ],
  bucket: 'balances',
  scopes: ['balance:read'],
  success: { status: 200, description: 'The balances.', schema: Balances, examples: { balances: EXAMPLE_BALANCES } },
  errors: ['INVALID_WALLET_ADDRESS', 'INVALID_CHAIN_ID', 'BAD_REQUEST'],
  handle:
    ({ chains, db }) =>
    async ({ params, query }) => {
      const walletAddress = parseAddress(params.walletAddress, 'optional')
      if (walletAddress === undefined) throw new ApiError('INVALID_WALLET_ADDRESS')
      const asked = chainsAsked(chains, query.chainId)
      const observed = await readObservedBlocks(
        db,
        asked.map(({ config }) => config.chainId),
      )
      const balances = await Promise.all(asked.map((chain) => readBalance(chain, walletAddress, observed)))
      const result: Omit<Static<typeof Balances>, 'ok'> = { walletAddress, balances }
      return successBody(result)
    },
}

export const balanceRoutes = [getBalances]

function chainsAsked(chains: ReadonlyMap<number, ApiChain>, chainId: unknown): ApiChain[] {
  if (chainId === undefined) return [...chains.values()]
  const wanted = wholeNumber(chainId)
  if (wanted === undefined) throw refused(badField('chainId'))
  const chain = chains.get(wanted)
  if (chain === undefined) {
    throw new ApiError('INVALID_CHAIN_ID', { chainId: wanted, supportedChainIds: [...chains.keys()] })
  }
  return [chain]
}

/** The numbers that a body may have, too: whichever of them is no chain's is refused in the same way there. */
function wholeNumber(text: unknown): number | undefined {
  if (typeof text !== 'string' || !WHOLE_NUMBER.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) && isExact(text, value) ? value : undefined
}

async function readBalance({ config, reader }: ApiChain, walletAddress: string, observed: ReadonlyMap<number, bigint>) {
  // What partners were told is completed is in it: the block of such an order is final.
  const final = (observed.get(config.chainId) ?? 0n) - BigInt(config.confirmations) + 1n
  const balanceMicro = await latestBalance(reader, walletAddress, final > 0n ? final : 0n)
  return {
    chainId: config.chainId,
    network: config.name,
    tokenAddress: config.coin.address,
    symbol: config.coin.symbol,
    decimals: COIN_DECIMALS,
    balanceRaw: balanceMicro.toString(),
    balance: formatAmount(balanceMicro),
  }
}

async function latestBalance(reader: ApiChain['reader'], walletAddress: string, reached: bigint): Promise<bigint> {
  try {
    return await reader.latestBalance(walletAddress as `0x${string}`, reached)
  } catch (error) {
    if (error instanceof ChainUnreadableError) throw new ApiError('SERVICE_UNAVAILABLE', undefined, { cause: error })
    throw error
  }
}
