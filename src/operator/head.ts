/** The head of a chain of seals, as operators give it, and what a verification says. */
import { Type } from 'typebox'
import { formatHead, readHead, type Seal } from '../seals/chain.ts'
import type { Verification } from '../seals/verify.ts'
import { OperatorError } from './errors.ts'
import { text } from './parse.ts'

export const VerifyQuery = Type.Object({ head: Type.Optional(text(1, 100)) }, { additionalProperties: false })

/** @throws OperatorError BAD_REQUEST for a text that is no head */
export function parseHead(given: string | undefined): Seal | undefined {
  const head = given === undefined ? undefined : readHead(given)
  if (given === undefined || head !== undefined) return head
  throw new OperatorError('BAD_REQUEST', '"head" must be a position and a hash, as the log shows them: 12:3f0a….')
}

/** The result of a verification, as the commands and the console show it. */
export function viewVerification({ ok, entries, head, firstBad }: Verification<string>) {
  return { ok, entries: Number(entries), head: formatHead(head), firstBad }
}
