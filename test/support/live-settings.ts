/** Settings with which the documented chains file (docs/samples/chains.json) is read, as a sandbox and in live. */
import path from 'node:path'

export const SAMPLE_CHAINS_FILE = path.join(import.meta.dirname, '../../docs/samples/chains.json')

/** The variables that the chains file names. Its `deployment` names the pauser's address. */
export const SAMPLE_VARIABLES = {
  BASE_RPC_2: 'https://rpc-two.example/key-in-the-path',
  BASE_RPC_3: 'https://rpc-three.example/key-in-the-path',
  BASE_SIGNER_1: '0x658d8ce324263d89fac361fced9f335d53ae27fe6d6fe4cd57272510d8ffeaed',
  BASE_LINKER_URL: 'https://user:pass@signer.internal.example:9000',
  BASE_PAUSER: 'e639271082ab4a8d7de308efa04f80cfe521dc74e57beda4efc56ab7af1f5960',
} as const

export const CONNECTOR_SETTINGS = {
  PAYOUT_RAIL: 'http',
  PAYOUT_URL: 'https://bank-connector.internal/payouts',
  PAYOUT_TOKEN: 'payout-token-of-at-least-32-characters',
} as const

export const LIVE_SETTINGS = {
  COIN_ENVIRONMENT: 'live',
  MINT_CEILING: '1000000',
  MINT_DAY_CAP: '5000000',
  DATABASE_URL: 'postgres://coin:db-password@db.internal/coin?sslmode=verify-full',
  CHAINS_FILE: SAMPLE_CHAINS_FILE,
  OPERATOR_TOKEN: 'operator-token-of-forty-characters-xxxxx',
  SECRETS_KEY: '36037a12b1bb1708d6a47ee599c30c7855e2cbd0e6fbb1989642dda711dc1951',
  RESERVES_SIGNING_KEY: '6d1f0c7b35a94be8820c4f1dd2a7e96b13f8a05c9e64d27bb4810e3f5ca97d26',
  ...CONNECTOR_SETTINGS,
  ...SAMPLE_VARIABLES,
} as const
