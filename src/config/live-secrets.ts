/** What `live` refuses of secrets: ones that can be guessed, and one that is used twice. */
import { chainKeysOf } from './chain-keys.ts'
import { isGuessableKey, isGuessableToken } from './guessable.ts'
import type { ChainConfig, Config } from './types.ts'

type Secret = { name: string; value: string; isGuessable: boolean }

/** One sentence per secret that is no secret, and per pair that are the same. */
export function liveSecretProblems(config: Config): string[] {
  const tokens = [
    ...token('OPERATOR_TOKEN', config.operatorToken),
    ...token('OIDC_CLIENT_SECRET', config.identityProvider?.clientSecret),
    ...token('PAYOUT_TOKEN', config.payout.type === 'http' ? config.payout.token : undefined),
    ...key('SECRETS_KEY', config.secretsKey),
    ...key('SECRETS_KEY_PREVIOUS', config.secretsKeyPrevious),
    ...key('RESERVES_SIGNING_KEY', config.reservesKey),
  ]
  const signing = config.chains.flatMap(signingKeysOf)
  const guessable = [...tokens, ...signing]
    .filter(({ isGuessable }) => isGuessable)
    .map(({ name }) => `${name} is not random: make it with \`openssl rand -hex 32\`.`)
  return [...guessable, ...repeated(tokens, signing)]
}

function token(name: string, value: string | undefined): Secret[] {
  if (value === undefined || value === '') return []
  return [{ name, value: value.toLowerCase().replace(/^0x/, ''), isGuessable: isGuessableToken(value) }]
}

function key(name: string, value: Uint8Array | undefined): Secret[] {
  if (value === undefined) return []
  return [{ name, value: Buffer.from(value).toString('hex'), isGuessable: isGuessableKey(value) }]
}

function signingKeysOf(chain: ChainConfig): Secret[] {
  return chainKeysOf(chain).flatMap(({ name, signer }) =>
    signer.type === 'key' && signer.privateKey !== '0x'
      ? key(`The ${name} key of chain ${chain.chainId}`, Buffer.from(signer.privateKey.slice(2), 'hex'))
      : [],
  )
}

/** Signing keys are compared with each other by their addresses, remote ones too (live-chains.ts). */
function repeated(tokens: readonly Secret[], signing: readonly Secret[]): string[] {
  return tokens.flatMap(({ name, value }, index) =>
    [...tokens.slice(index + 1), ...signing]
      .filter((other) => other.value === value)
      .map((other) => `${name} and ${other.name} are the same: every secret must be different.`),
  )
}
