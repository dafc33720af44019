/** coin chain … */
import type { Command } from 'commander'
import { get, post } from './client.ts'
import { add, bind, rename, wholeNumber } from './command.ts'
import { printChains, whetherAllWorked } from './on-chains.ts'
import { say } from './output.ts'

/** Here `ok` is part of every result: it says whether all chains are well, or did what was asked. */
export function register(noun: Command): void {
  const status = noun.command('status').description('heads, contracts, signers and powers of all chains')
  bind(status, async () => whetherAllWorked(await get('/chains')), showStatus, { keepOk: true })
  for (const [verb, about] of [
    ['pause', 'stop every movement of the coin, or settlement alone; orders wait'],
    ['resume', 'let the coin and settlement go on'],
  ] as const) {
    const command = noun
      .command(verb)
      .description(about)
      .option('--chain <id>', 'only this chain', wholeNumber)
      .option('--settlement-only', 'only settlement: holders can go on moving their coins')
    if (verb === 'resume') command.option(...KNOWN)
    const request = async (options: Record<string, unknown>) =>
      whetherAllWorked(await post(`/chains/${verb}`, rename(options, { chain: 'chainId' })))
    bind(command, request, printChains, { keepOk: true })
  }
  for (const [verb, about] of [
    ['lost', 'it is gone for good: what was not final there fails, what was stays owed'],
    ['found', 'it is there after all: it is read again from where it was lost'],
  ] as const) {
    add(noun, verb, about, (options) => post(`/chains/${verb}`, rename(options, { chain: 'chainId' })))
      .requiredOption('--chain <id>', 'the chain', wholeNumber)
      .requiredOption('--reason <text>', 'why, for the audit log')
  }
}

const KNOWN = [
  '--known <movements>',
  'what was seen that nobody here asked for and that you know, as "coin chain status" names it: the newest of each chain, with commas between them',
] as const

const WEI_DIGITS = 18

function showStatus(result: Record<string, unknown>): void {
  for (const chain of result.chains as Record<string, unknown>[]) printChain(chain)
}

function printChain({
  signers,
  keys,
  rpcUrls,
  findings,
  timelock,
  movements,
  ...chain
}: Record<string, unknown>): void {
  const lines = [
    `chain ${chain.chainId}: ${stateOf(chain)}, head ${chain.head ?? '-'}`,
    `  rpc         ${(rpcUrls as string[]).join(', ')}`,
    `  coin        ${chain.coin}`,
    `  settlement  ${chain.settlement}`,
    ...(signers as (Gas & { nonce: number })[]).map(
      (signer) => `  signer      ${signer.address}  nonce ${signer.nonce}  ${gasOf(signer)}`,
    ),
    ...(keys as (Gas & { name: string })[]).map((key) => `  ${key.name.padEnd(10)}  ${key.address}  ${gasOf(key)}`),
    ...(findings as { text: string; danger: boolean }[]).map(
      ({ text, danger }) => `  ${danger ? 'DANGER' : 'finding'}      ${text}`,
    ),
    ...timelockLines(timelock as Timelock | null | undefined),
    ...((movements ?? []) as Movement[]).map(sayMovement),
    ...(chain.lost === null ? [] : [`  ${chain.lost}`]),
    ...(chain.error === null ? [] : [`  ${chain.error}`]),
  ]
  for (const line of lines) say(line)
}

type Gas = { address: string; gasBalance: string; isLow: boolean; missing?: string }

/** Rounded up, so that what is said is enough. */
const gasOf = ({ gasBalance, isLow, missing }: Gas) => {
  const more = missing === undefined ? 'some' : `${nativeOf(String(BigInt(missing) + 10n ** 12n - 1n))} or more`
  return `gas ${nativeOf(gasBalance)}${isLow ? `  TOO LITTLE: send it ${more}` : ''}`
}

type Movement = { movement: string; details: string; seenBlock: string; seenAt: string }

const sayMovement = ({ movement, details, seenBlock, seenAt }: Movement) =>
  `  UNASKED     ${movement}  up to block ${seenBlock}, seen at ${seenAt}: ${details}`

type Timelock = {
  operations: {
    operationId: string
    executableAt: string
    sentBy: string | null
    calls: { contract: string | null; target: string; value: string; call: string }[]
  }[]
}

function timelockLines(timelock: Timelock | null | undefined): string[] {
  return (timelock?.operations ?? []).flatMap(({ operationId, executableAt, sentBy, calls }) => [
    `  SCHEDULED   ${operationId}  executable from ${executableAt} on, sent by ${sentBy ?? 'an unknown sender'}`,
    ...calls.map(
      ({ contract, target, value, call }) =>
        `              ${contract ?? target}: ${call}${value === '0' ? '' : ` with ${value} wei`}`,
    ),
  ])
}

function stateOf({ paused, settlementPaused, lost }: Record<string, unknown>): string {
  if (lost !== null) return 'LOST'
  if (paused === null) return 'unreadable'
  if (paused === true) return 'PAUSED'
  return settlementPaused === true ? 'SETTLEMENT PAUSED' : 'running'
}

/** Wei as native coin, cut to six decimals. */
function nativeOf(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0')
  return `${digits.slice(0, -WEI_DIGITS)}.${digits.slice(-WEI_DIGITS).slice(0, 6)}`
}
