/**
 * In which settings processes must agree, as text: each says what it goes by, and an alarm compares them. What a database can refuse at the start it
 * does refuse (its contracts, the secrets key, the books' time zone); the rest an operator may change at any time, and a forgotten machine
 * would go on by the old one unseen.
 */
import { toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { formatAmount } from '../money.ts'
import type { ChainConfig, Config, Role } from './types.ts'

type Agreed = readonly [name: string, value: string]

/** Those of this process's roles, and no secret. @param config.chains, config.defaultChainId those that it works with */
export function agreedSettings(config: Config): Agreed[] {
  const { roles } = config
  const ofRoles = (some: readonly Role[], settings: () => Agreed[]) =>
    some.some((role) => roles.has(role)) ? settings() : []
  return [
    ...config.chains.map(chainOf),
    ...ofRoles(['settler', 'payer', 'courier', 'operator'], () => [['CHAINS_FILE', idsOf(config.chains)]]),
    ...ofRoles(['api', 'operator'], () => policyOf(config)),
    ...ofRoles(['api'], () => ofApi(config)),
    ...ofRoles(['settler'], () => ofSettler(config)),
    ...ofRoles(['settler', 'payer', 'operator'], () => [
      ['RESERVE_GUARD', config.reserve.guard],
      ['RESERVE_MAX_AGE', `${config.reserve.maxAgeMs / 60_000}m`],
    ]),
    ...ofRoles(['payer'], () => [
      ['PAYOUT_RAIL', railOf(config)],
      ['RESERVES_SIGNING_KEY', signerOf(config)],
    ]),
    ...ofRoles(['operator'], () => [['FOUR_EYES', config.fourEyes ? 'on' : 'off']]),
  ]
}

function chainOf({ chainId, confirmations, finality, coin, settlement, sanctionsOracle }: ChainConfig): Agreed {
  return [
    `chain ${chainId}`,
    [confirmations, finality, coin.address, settlement, sanctionsOracle ?? 'no oracle'].join(' '),
  ]
}

const idsOf = (chains: readonly ChainConfig[]) =>
  chains
    .map(({ chainId }) => chainId)
    .toSorted((a, b) => a - b)
    .join(' ')

function policyOf({ policy }: Config): Agreed[] {
  const amount = (micro: bigint | null) => (micro === null ? 'none' : formatAmount(micro))
  return [
    ['MINT_FLOOR', amount(policy.mintFloorMicro)],
    ['MINT_CEILING', amount(policy.mintCeilingMicro)],
    ['MINT_DAY_CAP', amount(policy.mintDayCapMicro)],
    ['MINT_FEE', amount(policy.feeMicro.MINT)],
    ['REDEEM_CEILING', amount(policy.redeemCeilingMicro)],
    ['REDEEM_FEE', amount(policy.feeMicro.REDEEM)],
    ['NON_RESIDENT_LIMIT', amount(policy.nonResidentLimitMicro)],
    ['MONTHLY_WITHDRAWAL_CAP', amount(policy.monthlyWithdrawalCapMicro)],
    ['TRANSFER_TX_CAP', amount(policy.transferTxCapMicro)],
    ['TRANSFER_DAY_CAP', amount(policy.transferDayCapMicro)],
  ]
}

function ofApi({ chains, defaultChainId, rates, redisUrl, sunsetDate }: Config): Agreed[] {
  return [
    ['DEFAULT_CHAIN_ID', String(defaultChainId)],
    // A chain that is given up is offered no more for a while before the others forget it.
    ['CHAINS_FILE of api', idsOf(chains)],
    ['RATE_READ', String(rates.read)],
    ['RATE_WRITE', String(rates.write)],
    ['RATE_BALANCES', String(rates.balances)],
    ['REDIS_URL', redisUrl === undefined ? 'none' : new URL(redisUrl).host],
    ['SUNSET_DATE', sunsetDate?.toISOString() ?? 'none'],
  ]
}

function ofSettler({ onForeignMovement, retention }: Config): Agreed[] {
  return [
    ['ON_FOREIGN_MOVEMENT', onForeignMovement],
    ['RETENTION_ANSWER_DAYS', String(retention.answerDays)],
    ['RETENTION_BATCH_DAYS', String(retention.batchDays)],
    ['RETENTION_DELIVERY_DAYS', String(retention.deliveryDays)],
    ['RETENTION_EVENT_DAYS', String(retention.eventDays)],
  ]
}

const railOf = ({ payout }: Config) => (payout.type === 'http' ? `http-${payout.connector}` : payout.type)

/** The address, which is published. */
const signerOf = ({ reservesKey }: Config) =>
  reservesKey === undefined ? 'none' : privateKeyToAddress(toHex(reservesKey))
