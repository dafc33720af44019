/** coin chain … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, rename, wholeNumber } from './command.ts'

export function register(noun: Command): void {
  add(
    noun,
    'status',
    'heads, contracts and signers of all chains',
    () => get('/chains'),
    (result) => {
      for (const chain of result.chains as Record<string, unknown>[]) printChain(chain)
    },
  )
  for (const [verb, about] of [
    ['pause', 'stop every movement of the coin; orders wait'],
    ['resume', 'let the coin move again'],
  ] as const) {
    add(noun, verb, about, (options) => post(`/chains/${verb}`, rename(options, { chain: 'chainId' }))).option(
      '--chain <id>',
      'only this chain',
      wholeNumber,
    )
  }
}

const WEI_DIGITS = 18

function printChain({ signers, rpcUrls, ...chain }: Record<string, unknown>): void {
  const state = chain.paused === null ? 'unreadable' : chain.paused === true ? 'PAUSED' : 'running'
  const lines = [
    `chain ${chain.chainId}: ${state}, head ${chain.head ?? '-'}`,
    `  rpc         ${(rpcUrls as string[]).join(', ')}`,
    `  coin        ${chain.coin}`,
    `  settlement  ${chain.settlement}`,
    ...(signers as { address: string; nonce: number; gasBalance: string }[]).map(
      ({ address, nonce, gasBalance }) => `  signer      ${address}  nonce ${nonce}  gas ${nativeOf(gasBalance)}`,
    ),
    ...(chain.problem === undefined ? [] : [`  ${chain.problem}`]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Wei as native coin, cut to six decimals. */
function nativeOf(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0')
  return `${digits.slice(0, -WEI_DIGITS)}.${digits.slice(-WEI_DIGITS).slice(0, 6)}`
}
