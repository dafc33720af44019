/** Health, server time, configuration, tokens (contract "Resources and their fields"). */
import Type from 'typebox'
import { address, ChainId, Decimals, EXAMPLE_COIN_ADDRESS, EXAMPLE_TIME, Network, Ok, timestamp } from './values.ts'

const ApiVersion = Type.Literal('v1', { description: 'The version in the path.' })
const TokenName = Type.String({ description: "The coin's name, as its contract has it." })
const TokenSymbol = Type.String({ description: "The coin's symbol, as its contract has it." })

export const Health = Type.Object({
  ok: Ok,
  service: Type.String({ description: 'The name of this service.' }),
  apiVersion: ApiVersion,
  status: Type.String({ description: '`healthy` when up.' }),
  timestamp: timestamp('Now.'),
})

export const ServerTime = Type.Object({
  ok: Ok,
  serverTime: timestamp('Now.'),
  timezone: Type.Literal('UTC', { description: 'Of `serverTime`; always `UTC`.' }),
})

const endpoint = (of: string) => Type.String({ description: `Path template of ${of}.` })

const Chain = Type.Object({
  key: Type.String({ description: 'Short chain key.' }),
  name: Type.String({ description: 'Display name of the chain; `network` of an order.' }),
  chainId: ChainId,
  caip2: Type.String({ pattern: '^eip155:\\d+$', description: 'The chain id as CAIP-2 writes it.' }),
  nativeCurrency: Type.Object(
    {
      name: Type.String({ description: 'Its name.' }),
      symbol: Type.String({ description: 'Its symbol.' }),
      decimals: Type.Integer({ description: 'Its decimal places on chain.' }),
    },
    { description: 'What gas is paid in.' },
  ),
  explorerBaseUrl: Type.String({ description: "The chain's block explorer." }),
  explorerAddressUrl: Type.String({ description: 'Prefix: append an address.' }),
  explorerTxUrl: Type.String({ description: 'Prefix: append a transaction hash.' }),
  confirmations: Type.Integer({ description: 'Confirmation count used for completion.' }),
  coin: Type.Object(
    { address: address('Contract of the coin.'), decimals: Decimals, name: TokenName, symbol: TokenSymbol },
    { description: 'The coin on this chain.' },
  ),
})

export const Configuration = Type.Object({
  ok: Ok,
  apiVersion: ApiVersion,
  defaultChainId: Type.Integer({ description: 'Used when a request omits chainId.' }),
  decimals: Decimals,
  chains: Type.Array(Chain, { description: 'One entry per supported chain.' }),
  endpoints: Type.Object(
    {
      mints: endpoint('mints'),
      redeems: endpoint('redeems'),
      transfers: endpoint('transfers'),
      balances: endpoint('balances'),
      transactions: endpoint('orders of any direction'),
    },
    { description: 'Path templates, with parameters in braces.' },
  ),
})

export const Tokens = Type.Object({
  ok: Ok,
  tokens: Type.Array(
    Type.Object({
      symbol: TokenSymbol,
      name: TokenName,
      chainId: ChainId,
      network: Network,
      tokenAddress: address('Contract of the coin.'),
      decimals: Decimals,
      explorerUrl: Type.String({ description: "The contract's page in the chain's block explorer." }),
    }),
    { description: 'One entry per supported chain.' },
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
