/**
 * Field formats of the creating POSTs (contract "Endpoints"). Fields are checked in the order of the contract's tables
 * and the first bad one is named. Nothing is coerced: an explicit null is a wrong type even for an optional field.
 */
import { badField } from '../../bad-fields.ts'
import type { ErrorCode, ErrorMeta, Refusal } from '../../errors.ts'
import { parseAmount } from '../../money.ts'
import { parseAddress } from '../address.ts'
import { KINDS, type Kind } from '../kinds.ts'
import type { ChainFacts } from '../ports.ts'
import { isReferenceId } from '../reference-id.ts'

/** In characters, as JSON Schema and PostgreSQL count them: one beyond the BMP is one. */
export const MAX_BANK_REFERENCE_LENGTH = 255
const MAX_CUSTOMER_ID_LENGTH = 200
/** No control characters. */
export const STORABLE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
const STORABLE = new RegExp(STORABLE_PATTERN)

/** The fields that all three directions share. The wallet address is EIP-55 checksummed. */
export type OrderRequest = {
  referenceId: string
  amountMicro: bigint
  walletAddress: string
  /** Undefined when the given id cannot be anybody's; the database is then never asked about it. */
  customerId: string | undefined
  chain: ChainFacts
  /** Of a request that names no chain: that of its reference, where it is configured no longer. */
  unconfigured?: { chainId: number; supportedChainIds: readonly number[] }
}
export type MintRequest = OrderRequest & { fiatConfirmed: boolean }
export type RedeemRequest = OrderRequest & { bankReference: string | null }
export type TransferRequest = OrderRequest

export type Parsed<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }
export type Chains = { chains: ReadonlyMap<number, ChainFacts>; defaultChainId: number }
type Body = Record<string, unknown>

/** Parses the body of POST /v1/mints. */
export function parseMintRequest(body: Body, chains: Chains): Parsed<MintRequest> {
  const base = parseBase(body, KINDS.MINT)
  if (!base.ok) return base
  const chain = parseChain(body.chainId, chains)
  if (!chain.ok) return chain
  const { fiatConfirmed = false } = body
  if (typeof fiatConfirmed !== 'boolean') return { ok: false, refusal: badField('fiatConfirmed') }
  return { ok: true, value: { ...base.value, chain: chain.value, fiatConfirmed } }
}

/** Parses the body of POST /v1/redeems. */
export function parseRedeemRequest(body: Body, chains: Chains): Parsed<RedeemRequest> {
  const base = parseBase(body, KINDS.REDEEM)
  if (!base.ok) return base
  const { bankReference } = body
  if (bankReference !== undefined && !isBankReference(bankReference)) {
    return { ok: false, refusal: badField('bankReference') }
  }
  const chain = parseChain(body.chainId, chains)
  if (!chain.ok) return chain
  return { ok: true, value: { ...base.value, chain: chain.value, bankReference: bankReference ?? null } }
}

/** Parses the body of POST /v1/transfers. */
export function parseTransferRequest(body: Body, chains: Chains): Parsed<TransferRequest> {
  const base = parseBase(body, KINDS.TRANSFER)
  if (!base.ok) return base
  const chain = parseChain(body.chainId, chains)
  if (!chain.ok) return chain
  return { ok: true, value: { ...base.value, chain: chain.value } }
}

/**
 * The request on the chain that its reference belongs to already, when it names none: a default that was moved since then
 * changes nothing that was asked for before. When that chain is configured no longer, it says so.
 */
export function onOwnChain<Request extends OrderRequest>(
  request: Request,
  { chainId }: Body,
  ownChainId: number | undefined,
  { chains }: Chains,
): Request {
  if (chainId !== undefined || ownChainId === undefined || ownChainId === request.chain.chainId) return request
  if (request.unconfigured !== undefined) return request
  const chain = chains.get(ownChainId)
  if (chain !== undefined) return { ...request, chain }
  return { ...request, unconfigured: { chainId: ownChainId, supportedChainIds: [...chains.keys()] } }
}

function parseBase(body: Body, { amountField, checksum }: Kind): Parsed<Omit<OrderRequest, 'chain'>> {
  const { referenceId, customerId } = body
  if (!isReferenceId(referenceId)) return refuse('INVALID_REFERENCE_ID')
  const amount = parseAmount(body[amountField])
  if (!amount.ok) return { ok: false, refusal: { code: amount.code, ...whereAmountIs(body, amountField) } }
  const walletAddress = parseAddress(body.walletAddress, checksum)
  if (walletAddress === undefined) return refuse('INVALID_WALLET_ADDRESS')
  if (typeof customerId !== 'string') return { ok: false, refusal: badField('customerId') }
  const known = customerId.length <= MAX_CUSTOMER_ID_LENGTH && isStorable(customerId) ? customerId : undefined
  return { ok: true, value: { referenceId, amountMicro: amount.amountMicro, walletAddress, customerId: known } }
}

/** Mints and the other orders have other names for it. */
function whereAmountIs(body: Body, amountField: Kind['amountField']): Pick<Refusal, 'detail'> {
  return typeof body[amountField] === 'string' ? {} : { detail: `${amountField} is missing, or no string.` }
}

function parseChain(chainId: unknown, { chains, defaultChainId }: Chains): Parsed<ChainFacts> {
  const wanted = chainId === undefined ? defaultChainId : chainId
  if (typeof wanted !== 'number' || !Number.isInteger(wanted)) return { ok: false, refusal: badField('chainId') }
  const chain = chains.get(wanted)
  if (chain === undefined) {
    return refuse('INVALID_CHAIN_ID', { chainId: wanted, supportedChainIds: [...chains.keys()] })
  }
  return { ok: true, value: chain }
}

function isBankReference(value: unknown): value is string {
  return typeof value === 'string' && hasAtMost(MAX_BANK_REFERENCE_LENGTH, value) && isStorable(value)
}

/** Whether a text has no more characters than that. */
function hasAtMost(characters: number, text: string): boolean {
  if (text.length <= characters) return true
  return text.length <= 2 * characters && [...text].length <= characters
}

/** PostgreSQL stores neither NUL nor lone surrogates; other control characters have no place in an identifier. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && STORABLE.test(text)
}

function refuse(code: ErrorCode, meta?: ErrorMeta): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: meta === undefined ? { code } : { code, meta } }
}
