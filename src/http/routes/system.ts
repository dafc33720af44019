/** Liveness, server time, configuration, tokens. */
import type { Static } from 'typebox'
import { COIN_DECIMALS } from '../../money.ts'
import { successBody } from '../envelope.ts'
import type { ApiChain, PublicRoute, ReadRoute, RouteDeps } from '../route.ts'
import {
  Configuration,
  ENDPOINTS,
  EXAMPLE_CONFIGURATION,
  EXAMPLE_HEALTH,
  EXAMPLE_SERVER_TIME,
  EXAMPLE_TOKENS,
  Health,
  ServerTime,
  Tokens,
} from '../schemas/system.ts'

const SERVICE_NAME = 'stablecoin-partner-api'

type Result<T> = Omit<T, 'ok'>

const getHealth: PublicRoute = {
  kind: 'public',
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  tag: 'System',
  summary: 'Liveness',
  description: 'Answers while the service is up. Send no Authorization header.',
  parameters: [],
  success: { status: 200, description: 'The service is up.', schema: Health, examples: { healthy: EXAMPLE_HEALTH } },
  errors: [],
  handle:
    ({ nowMs }) =>
    () => {
      const timestamp = new Date(nowMs()).toISOString()
      const health: Result<Static<typeof Health>> = {
        service: SERVICE_NAME,
        apiVersion: 'v1',
        status: 'healthy',
        timestamp,
      }
      return successBody(health)
    },
}

const getServerTime: PublicRoute = {
  kind: 'public',
  operationId: 'getServerTime',
  method: 'GET',
  path: '/system/time',
  tag: 'System',
  summary: 'Server time',
  description: 'For clock-skew checks before verifying webhook timestamps. Send no Authorization header.',
  parameters: [],
  success: { status: 200, description: 'Now.', schema: ServerTime, examples: { now: EXAMPLE_SERVER_TIME } },
  errors: [],
  handle:
    ({ nowMs }) =>
    () => {
      const time: Result<Static<typeof ServerTime>> = { serverTime: new Date(nowMs()).toISOString(), timezone: 'UTC' }
      return successBody(time)
    },
}

const getConfig: ReadRoute = {
  kind: 'read',
  operationId: 'getConfig',
  method: 'GET',
  path: '/config',
  tag: 'System',
  summary: 'Chain configuration',
  description: 'Read it at startup and keep it for the lifetime of the process.',
  parameters: [],
  bucket: 'read',
  scopes: ['config:read'],
  success: {
    status: 200,
    description: 'The configuration.',
    schema: Configuration,
    examples: { configuration: EXAMPLE_CONFIGURATION },
  },
  errors: [],
  handle: (deps) => {
    return () => successBody(viewConfiguration(deps))
  },
}

const listTokens: ReadRoute = {
  kind: 'read',
  operationId: 'listTokens',
  method: 'GET',
  path: '/tokens',
  tag: 'System',
  summary: 'Token addresses',
  description: 'Read token addresses from here; sandbox and live run on different chains.',
  parameters: [],
  bucket: 'read',
  scopes: ['config:read'],
  success: { status: 200, description: 'The tokens.', schema: Tokens, examples: { tokens: EXAMPLE_TOKENS } },
  errors: [],
  handle: (deps) => {
    return () => successBody(viewTokens(deps))
  },
}

export const systemRoutes = [getHealth, getServerTime, getConfig, listTokens]

function viewConfiguration({ chains, defaultChainId }: RouteDeps): Result<Static<typeof Configuration>> {
  return {
    apiVersion: 'v1',
    defaultChainId,
    decimals: COIN_DECIMALS,
    chains: [...chains.values()].map(viewChain),
    endpoints: ENDPOINTS,
  }
}

function viewChain({ config }: ApiChain): Static<typeof Configuration>['chains'][number] {
  const { key, name, chainId, nativeCurrency, explorerBaseUrl, explorerAddressUrl, explorerTxUrl, confirmations } =
    config
  return {
    key,
    name,
    chainId,
    caip2: `eip155:${chainId}`,
    nativeCurrency,
    explorerBaseUrl,
    explorerAddressUrl,
    explorerTxUrl,
    confirmations,
    coin: { address: config.coin.address, decimals: COIN_DECIMALS, name: config.coin.name, symbol: config.coin.symbol },
  }
}

function viewTokens({ chains }: RouteDeps): Result<Static<typeof Tokens>> {
  const tokens = [...chains.values()].map(({ config }) => ({
    symbol: config.coin.symbol,
    name: config.coin.name,
    chainId: config.chainId,
    network: config.name,
    tokenAddress: config.coin.address,
    decimals: COIN_DECIMALS,
    explorerUrl: `${config.explorerAddressUrl}${config.coin.address}`,
  }))
  return { tokens }
}
