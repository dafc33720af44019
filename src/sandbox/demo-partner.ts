/** The demo partner as the documentation fills it into its samples. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DemoPartner } from '../http/reference/demo-partner.ts'
import { type DemoData, fundingReference, KEY_FILE } from './demo-data.ts'

/** @returns undefined when somebody has taken the key's file away */
export function demoPartnerOf(dataDir: string, { customers, corporateId }: DemoData): DemoPartner | undefined {
  const file = path.join(dataDir, KEY_FILE)
  const [first, second] = customers
  if (!existsSync(file) || first?.walletAddress === undefined || second?.walletAddress === undefined) return undefined
  return {
    COIN_KEY: readFileSync(file, 'utf8').trim(),
    CUSTOMER: first.customerId,
    WALLET: first.walletAddress,
    RECIPIENT: second.walletAddress,
    CORPORATE: corporateId,
    REFERENCE: fundingReference(0),
  }
}
