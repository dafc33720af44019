/** Health, server time, configuration, tokens (contract "Resources and their fields"). */
import Type from 'typebox'
import { address, ChainId, Decimals, EXAMPLE_COIN_ADDRESS, EXAMPLE_TIME, Ok, timestamp } from './values.ts'

export const Health = Type.Object({
  ok: Ok,
  service: Type.String(),
  apiVersion: Type.Literal('v1'),
  status: Type.String({ description: '`healthy` when up.' }),
  timestamp: timestamp('Now.'),
})

export const ServerTime = Type.Object({ ok: Ok, serverTime: timestamp('Now.'), timezone: Type.Literal('UTC') })

const Chain = Type.Object({
  key: Type.String({ description: 'Short chain key.' }),
  name: Type.String(),
  chainId: ChainId,
  caip2: Type.String({ pattern: '^eip155:\\d+$' }),
  nativeCurrency: Type.Object({ name: Type.String(), symbol: Type.String(), decimals: Type.Integer() }),
  explorerBaseUrl: Type.String(),
  explorerAddressUrl: Type.String({ description: 'Prefix: append an address.' }),
  explorerTxUrl: Type.String({ description: 'Prefix: append a transaction hash.' }),
  confirmations: Type.Integer({ description: 'Confirmation count used for completion.' }),
  coin: Type.Object({
    address: address('Contract of the coin.'),
    decimals: Decimals,
    name: Type.String(),
    symbol: Type.String(),
  }),
})

export const Configuration = Type.Object({
  ok: Ok,
  apiVersion: Type.Literal('v1'),
  defaultChainId: Type.Integer({ description: 'Used when a request omits chainId.' }),
  decimals: Decimals,
  chains: Type.Array(Chain, { minItems: 1 }),
  endpoints: Type.Object({
    mints: Type.String(),
    redeems: Type.String(),
    transfers: Type.String(),
    balances: Type.String(),
    transactions: Type.String(),
  }),
})

export const Tokens = Type.Object({
  ok: Ok,
  tokens: Type.Array(
    Type.Object({
      symbol: Type.String(),
      name: Type.String(),
      chainId: ChainId,
      network: Type.String(),
      tokenAddress: address('Contract of the coin.'),
      decimals: Decimals,
      explorerUrl: Type.String(),
    }),
  ),
})

/** Where each kind of resource is found; `endpoints` of the configuration. */
export const ENDPOINTS = {
  mints: '/v1/mints',
  redeems: '/v1/redeems',
  transfers: '/v1/transfers',
  balances: '/v1/balances/{walletAddress}',
  transactions: '/v1/transactions/{referenceId}',
}

export const EXAMPLE_HEALTH = {
  ok: true,
  service: 'stablecoin-partner-api',
  apiVersion: 'v1',
  status: 'healthy',
  timestamp: EXAMPLE_TIME,
}

export const EXAMPLE_SERVER_TIME = { ok: true, serverTime: EXAMPLE_TIME, timezone: 'UTC' }

const explorer = 'https://explorer.example'

export const EXAMPLE_CONFIGURATION = {
  ok: true,
  apiVersion: 'v1',
  defaultChainId: 84532,
  decimals: 6,
  chains: [
    {
      key: 'base-sepolia',
      name: 'Base Sepolia',
      chainId: 84532,
      caip2: 'eip155:84532',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      explorerBaseUrl: explorer,
      explorerAddressUrl: `${explorer}/address/`,
      explorerTxUrl: `${explorer}/tx/`,
      confirmations: 12,
      coin: { address: EXAMPLE_COIN_ADDRESS, decimals: 6, name: 'Coin', symbol: 'COIN' },
    },
  ],
  endpoints: ENDPOINTS,
}

export const EXAMPLE_TOKENS = {
  ok: true,
  tokens: [
    {
      symbol: 'COIN',
      name: 'Coin',
      chainId: 84532,
      network: 'Base Sepolia',
      tokenAddress: EXAMPLE_COIN_ADDRESS,
      decimals: 6,
      explorerUrl: `${explorer}/address/${EXAMPLE_COIN_ADDRESS}`,
    },
  ],
}
