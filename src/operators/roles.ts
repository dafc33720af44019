/** What a person may be in the issuer's operations team. One person has one role. */
import { OPERATOR_ROLES } from '../config/types.ts'

/**
 * viewer: sees what is no personal data · support: webhooks, revoking keys, holding · onboarding: integrations, customers,
 * wallets, keys · treasury: payouts, bank, books · compliance: screening, freezing, holding, rejecting · admin: operators
 * and settings, and nothing of the others'
 */
export { OPERATOR_ROLES }
export type OperatorRole = (typeof OPERATOR_ROLES)[number]
