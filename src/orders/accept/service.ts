/** Acceptance of orders: the four POSTs. Each costs two database round trips, a usual mint one. */
import type { PolicyConfig } from '../../config.ts'
import type { Queryable } from '../../db/database.ts'
import { KINDS } from '../kinds.ts'
import type { Direction } from '../order.ts'
import type { ChainFacts, WalletReader } from '../ports.ts'
import { isReferenceId } from '../reference-id.ts'
import { type AnswerDeps, answerPost, type Steps } from './answer-post.ts'
import type { Answer, PostCall } from './call.ts'
import { listSettled, readCancelFacts } from './cancel-facts.sql.ts'
import type { Terms } from './checks.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import type { Decision } from './decision.ts'
import type { ChainAnswers, CreateFacts } from './facts.ts'
import { createLane, type Lane, type Lanes } from './lane.ts'
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
        ...creation(deps, call, lanes.MINT, { parse: parseMintRequest, decide: decideMint }),
        scopes: mintScopes(call.body),
        recordUsual: async (request) =>
          request.unconfigured === undefined
            ? await recordUsual(call, request, { caller: call.caller, policy })
            : undefined,
      }),
    redeem: (call) =>
      answerPost(answering, call, {
        ...creation(deps, call, lanes.REDEEM, { parse: parseRedeemRequest, decide: decideRedeem }),
        scopes: KINDS.REDEEM.scopes,
      }),
    transfer: (call) =>
      answerPost(answering, call, {
        ...creation(deps, call, lanes.TRANSFER, { parse: parseTransferRequest, decide: decideTransfer }),
        scopes: KINDS.TRANSFER.scopes,
      }),
    cancelMint: (call) =>
      answerPost(answering, call, {
        status: 200,
        scopes: CANCEL_SCOPES,
        parsed: parseCancelRequest(call.referenceId),
        readFacts: async (referenceId) => {
          const chainIds = [...deps.chains.keys(), ...(await listSettled(db))]
          return await readCancelFacts(db, call, { referenceId, chainIds })
        },
        decide: (_referenceId, facts) => decideCancel(facts),
      }),
  }
}

/** How a POST that creates an order of one direction is read and decided. */
type Creation<D extends Direction, Request> = {
  parse(body: PostCall['body'], chains: Chains): Parsed<Request>
  decide(request: Request, facts: CreateFacts[D], terms: Terms, answers: ChainAnswers | undefined): Decision
}

/** The steps that the POSTs which create an order have in common. */
function creation<D extends Direction, Request extends OrderRequest>(
  deps: AcceptanceDeps,
  call: PostCall,
  lane: Lane<D>,
  { parse, decide }: Creation<D, Request>,
): Omit<Steps<Request, CreateFacts[D]>, 'scopes'> {
  const terms = { caller: call.caller, policy: deps.policy }
  return {
    status: 201,
    parsed: parse(call.body, deps),
    parsedElsewhere: () => parseOnOwnChain(call, parse, deps),
    readFacts: (request) => lane.readFacts({ call, request }),
    meant: (request, { ownChainId }) => onOwnChain(request, call.body, ownChainId, deps),
    decide: (request, facts, answers) => decide(request, facts, terms, answers),
  }
}

/**
 * Parses a request that names no chain while the default chain is lost: it still means the chain of its reference. Where that one is lost too, the
 * request can only repeat what was asked for before.
 * @returns undefined where the default is not lost, the request names a chain, or there is no order with its reference
 */
async function parseOnOwnChain<Request extends OrderRequest>(
  { caller, body }: PostCall,
  parse: Creation<Direction, Request>['parse'],
  deps: AcceptanceDeps,
): Promise<Parsed<Request> | undefined> {
  const { chainId, referenceId } = body
  const { db, chains, defaultChainId } = deps
  if (chainId !== undefined || chains.has(defaultChainId) || !isReferenceId(referenceId)) return undefined
  const own = await findOwnChain(db, caller.integrationId, referenceId)
  if (own === undefined) return undefined
  if (chains.has(own)) return parse({ ...body, chainId: own }, deps)
  const unseen = { chainId: own, network: '', tokenAddress: '', contracts: [], hasSanctionsOracle: false }
  const parsed = parse(body, { chains: new Map([[own, unseen]]), defaultChainId: own })
  const unconfigured = { chainId: own, supportedChainIds: [...chains.keys()] }
  return parsed.ok ? { ok: true, value: { ...parsed.value, unconfigured } } : parsed
}

function parseCancelRequest(referenceId: string): Parsed<string> {
  if (isReferenceId(referenceId)) return { ok: true, value: referenceId }
  return { ok: false, refusal: { code: 'INVALID_REFERENCE_ID' } }
}
