/** Signers that did not sign lately: with nothing under way another one leads, and what they have under way and cannot be raised is handed over. */
import type { Work } from '../work.ts'

const UNSIGNING_MS = 60_000

/** Remembers, for a while, that a signer did not sign. */
export function noteUnsigning({ memory, nowMs }: Work, address: string): void {
  memory.form.unsigningUntilMs.set(address, nowMs() + UNSIGNING_MS)
}

/** Whether it did not sign lately. */
export function isUnsigning({ memory, nowMs }: Work, address: string): boolean {
  return (memory.form.unsigningUntilMs.get(address) ?? nowMs()) > nowMs()
}
