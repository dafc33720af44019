/** The corporate as the domain knows it, and as the API shows it (contract "Corporate"). */
import { countryProblem } from './country.ts'
import { labelProblem, type VerificationStatus } from './verification.ts'

/** What an operator decides about a corporate. */
export type CorporateDetails = {
  companyName: string
  status: VerificationStatus
  stage: string
  countryCode: string
  industry: string
  canMint: boolean
  canRedeem: boolean
  canPayroll: boolean
}

export type Corporate = CorporateDetails & {
  corporateId: string
  integrationId: string
  /** Set exactly while the status is VERIFIED. */
  verifiedAt: Date | null
  createdAt: Date
}

const TEXT_PATTERN = /^[^\p{C}]{1,200}$/u

/** Every problem of a corporate's details as a sentence; empty when they can be stored. */
export function corporateProblems(details: CorporateDetails): string[] {
  const isText = (text: string) => TEXT_PATTERN.test(text) && text.trim() !== ''
  return [
    isText(details.companyName) ? undefined : 'The company name must be 1 to 200 printable characters.',
    isText(details.industry) ? undefined : 'The industry must be 1 to 200 printable characters.',
    labelProblem('stage', details.stage),
    countryProblem(details.countryCode),
  ].filter((problem) => problem !== undefined)
}

/** Shapes a corporate for the API (contract "Corporate"), without `ok`. Capabilities are the current ability. */
export function viewCorporate(corporate: Corporate) {
  const verified = corporate.status === 'VERIFIED'
  return {
    corporateId: corporate.corporateId,
    companyName: corporate.companyName,
    verification: {
      status: corporate.status,
      stage: corporate.stage,
      verifiedAt: corporate.verifiedAt?.toISOString() ?? null,
    },
    jurisdiction: { countryCode: corporate.countryCode },
    industry: corporate.industry,
    capabilities: {
      canMint: verified && corporate.canMint,
      canRedeem: verified && corporate.canRedeem,
      canPayroll: verified && corporate.canPayroll,
    },
    createdAt: corporate.createdAt.toISOString(),
  }
}
