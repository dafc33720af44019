/** Every outcome on demand, as the sandbox adds it to the partner API. */
import { createHmac } from 'node:crypto'
import type { DemoPartner } from '../../http/reference/demo-partner.ts'
import type { Route } from '../../http/route.ts'
import { refund } from '../../operator/refund-payout.ts'
import type { SandboxAdditions } from '../../roles/api.ts'
import { type Parts, secretsOf } from '../../roles/parts.ts'
import { MADE_HERE } from './answered-once.ts'
import type { ChainControl } from './chain-scenarios.ts'
import type { OnDemandDeps } from './deps.ts'
import { takeFault } from './faults.sql.ts'
import { onDemandRoutes } from './routes/index.ts'
import { isWalletOf } from './unseen-freezes.sql.ts'

/** The operations that submit something for settlement. */
const ORDERS: ReadonlySet<string> = new Set(['createMint', 'createRedeem', 'createTransfer'])

/**
 * @param secretsKey 32 bytes, from which names are made that nobody can guess
 * @param control of the sandbox's own chain; undefined where it uses others
 * @param demo the partner that the documentation fills in
 */
export function createOnDemand(
  parts: Parts,
  secretsKey: Uint8Array,
  control: ChainControl | undefined,
  demo: () => DemoPartner | undefined,
): SandboxAdditions {
  const { config, db, chains, defaultChainId } = parts
  const chain = chains.find((one) => one.config.chainId === defaultChainId)
  if (chain === undefined) throw new Error('the default chain is not configured')
  const nameOf: OnDemandDeps['nameOf'] = (...of) =>
    createHmac('sha256', secretsKey)
      .update(JSON.stringify([MADE_HERE, ...of]))
      .digest('hex')
  return {
    wallets: (reader) => ({
      ...reader,
      isFrozen: async (chainId, address) =>
        (await reader.isFrozen(chainId, address)) && !(await isWalletOf(db, address, `${MADE_HERE}:fails_on_chain:`)),
    }),
    routes: (acceptance) => ({
      demo,
      routes: onDemandRoutes({
        db,
        acceptance,
        chain,
        control,
        nameOf,
        policy: config.policy,
        secrets: secretsOf(parts),
        isBankSimulated: config.payout.type === 'simulated',
        refund: async (tx, payoutId) => (await refund(tx, { chains }, payoutId)) !== undefined,
      }),
      faultOf: (key, route) => takeFault(db, key.keyId, isOrder(route)),
    }),
  }
}

function isOrder({ operationId }: Route): boolean {
  return ORDERS.has(operationId)
}
