/** Acceptance of orders: the four POSTs. Each costs two database round trips, a usual mint one. */
import type { PolicyConfig } from '../../config.ts'
import type { Queryable } from '../../db/database.ts'
import { KINDS } from '../kinds.ts'
import type { ChainFacts, WalletReader } from '../ports.ts'
import { isReferenceId } from '../reference-id.ts'
import { type AnswerDeps, answerPost } from './answer-post.ts'
import type { Answer, PostCall } from './call.ts'
import { readCancelFacts } from './cancel-facts.sql.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import { createLane, type Lanes } from './lane.ts'
import { createNotifier } from './notify.ts'
import { findOwnChain } from './own-chain.sql.ts'
import {
  type Chains,
  type OrderRequest,
  onOwnChain,
  type Parsed,
  parseMintRequest,
  parseRedeemRequest,
  parseTransferRequest,
} from './request.ts'
import { CANCEL_SCOPES, mintScopes } from './scopes.ts'
import { createUsualMints } from './usual.ts'

export type { Answer, Caller, PostCall } from './call.ts'

export type AcceptanceDeps = {
  db: Queryable
  chains: ReadonlyMap<number, ChainFacts>
  /** Used when a request names no chain; one of `chains`, unless it is lost. */
  defaultChainId: number
  policy: PolicyConfig
  wallets: WalletReader
  /**
   * Called for each order that now awaits settlement, so that a settler in this process need not wait for a
   * notification.
   */
  onAccepted?(chainId: number): void
  /** A clock that never goes back, for tests. Default: this process's. */
  nowMs?(): number
}

export type AcceptanceService = {
  mint(call: PostCall): Promise<Answer>
  redeem(call: PostCall): Promise<Answer>
  transfer(call: PostCall): Promise<Answer>
  cancelMint(call: PostCall & { referenceId: string }): Promise<Answer>
}

/**
 * Makes the acceptance of the four POSTs. Checks come in this order: scopes, remembered answer, field formats, customer,
 * existing reference, verification, amount limits, policy and caps from the facts, then what only the chain knows: policy, balance.
 * Each call throws ApiError with the contract's code for a refusal, and lets DatabaseUnavailableError through.
 */
export function createAcceptance(deps: AcceptanceDeps): AcceptanceService {
  const { db, policy, wallets } = deps
  const lanes: Lanes = {
    MINT: createLane(db, 'MINT'),
    REDEEM: createLane(db, 'REDEEM'),
    TRANSFER: createLane(db, 'TRANSFER'),
  }
  const recordUsual = createUsualMints(db)
  const { onAccepted, nowMs } = deps
  const answering: AnswerDeps = { db, lanes, wallets, notifier: createNotifier(db), onAccepted, nowMs }
  return {
    mint: (call) =>
      answerPost(answering, call, {
        status: 201,
        scopes: mintScopes(call.body),
        parsed: parseMintRequest(call.body, deps),
        parsedElsewhere: () => parseOnOwnChain(call, parseMintRequest, deps),
        recordUsual: async (request) =>
          request.unconfigured === undefined
            ? await recordUsual(call, request, { caller: call.caller, policy })
            : undefined,
        readFacts: (request) => lanes.MINT.readFacts({ call, request }),
        meant: (request, { ownChainId }) => onOwnChain(request, call.body, ownChainId, deps),
        decide: (request, facts, answers) => decideMint(request, facts, { caller: call.caller, policy }, answers),
      }),
    redeem: (call) =>
      answerPost(answering, call, {
        status: 201,
        scopes: KINDS.REDEEM.scopes,
        parsed: parseRedeemRequest(call.body, deps),
        parsedElsewhere: () => parseOnOwnChain(call, parseRedeemRequest, deps),
        readFacts: (request) => lanes.REDEEM.readFacts({ call, request }),
        meant: (request, { ownChainId }) => onOwnChain(request, call.body, ownChainId, deps),
        decide: (request, facts, answers) => decideRedeem(request, facts, { caller: call.caller, policy }, answers),
      }),
    transfer: (call) =>
      answerPost(answering, call, {
        status: 201,
        scopes: KINDS.TRANSFER.scopes,
        parsed: parseTransferRequest(call.body, deps),
        parsedElsewhere: () => parseOnOwnChain(call, parseTransferRequest, deps),
        readFacts: (request) => lanes.TRANSFER.readFacts({ call, request }),
        meant: (request, { ownChainId }) => onOwnChain(request, call.body, ownChainId, deps),
        decide: (request, facts, answers) => decideTransfer(request, facts, { caller: call.caller, policy }, answers),
      }),
    cancelMint: (call) =>
      answerPost(answering, call, {
        status: 200,
        scopes: CANCEL_SCOPES,
        parsed: parseCancelRequest(call.referenceId),
        readFacts: (referenceId) => readCancelFacts(db, call, { referenceId, chainIds: [...deps.chains.keys()] }),
        decide: (_referenceId, facts) => decideCancel(facts),
      }),
  }
}

/**
 * While the default is lost, a request that names no chain still means that of its reference; where that is lost, too, it can repeat what was
 * asked for before, and no more.
 * @returns undefined where it has none, or names a chain
 */
async function parseOnOwnChain<Request extends OrderRequest>(
  { caller, body }: PostCall,
  parse: (body: PostCall['body'], chains: Chains) => Parsed<Request>,
  deps: AcceptanceDeps,
): Promise<Parsed<Request> | undefined> {
  const { chainId, referenceId } = body
  const { db, chains, defaultChainId } = deps
  if (chainId !== undefined || chains.has(defaultChainId) || !isReferenceId(referenceId)) return undefined
  const own = await findOwnChain(db, caller.integrationId, referenceId)
  if (own === undefined) return undefined
  if (chains.has(own)) return parse({ ...body, chainId: own }, deps)
  const unseen = { chainId: own, network: '', tokenAddress: '', contracts: [] }
  const parsed = parse(body, { chains: new Map([[own, unseen]]), defaultChainId: own })
  const unconfigured = { chainId: own, supportedChainIds: [...chains.keys()] }
  return parsed.ok ? { ok: true, value: { ...parsed.value, unconfigured } } : parsed
}

function parseCancelRequest(referenceId: string): Parsed<string> {
  if (isReferenceId(referenceId)) return { ok: true, value: referenceId }
  return { ok: false, refusal: { code: 'INVALID_REFERENCE_ID' } }
}
