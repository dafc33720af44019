/** Signers that did not sign lately: with nothing under way another one leads, and what they have under way and cannot be raised is handed over. */
import type { Signer } from '../../chain/signer.ts'
import type { Work } from '../work.ts'

/** How long that counts. */
const UNSIGNING_MS = 60_000

/** Remembers, for a while, that a signer did not sign. */
export function noteUnsigning({ memory, nowMs }: Work, address: string): void {
  memory.form.unsigningUntilMs.set(address, nowMs() + UNSIGNING_MS)
}

/** A chain's signers in the order of the configuration, but those last that did not sign lately. */
export function signingFirst(work: Work): readonly Signer[] {
  const { signers } = work.chain
  const isLast = ({ address }: Signer) => isUnsigning(work, address)
  return [...signers.filter((signer) => !isLast(signer)), ...signers.filter(isLast)]
}

/** Whether it did not sign lately. */
export function isUnsigning({ memory, nowMs }: Work, address: string): boolean {
  return (memory.form.unsigningUntilMs.get(address) ?? nowMs()) > nowMs()
}
