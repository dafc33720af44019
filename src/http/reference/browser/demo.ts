/** In a sandbox, what samples need is filled in: its own address, key, customer and wallets. */
import { all } from './elements.ts'

/** Name of a variable → value. */
export type Own = Readonly<Record<string, string>>

/** Reads what the sandbox has of its own. It tells its key on its own machine only. */
export async function readOwn(): Promise<{ isFilled: boolean; own: Own }> {
  const answer = await fetch('/docs/sandbox.json')
  return (await answer.json()) as { isFilled: boolean; own: Own }
}

/** Puts the values into the samples. */
export function fillSamples(own: Own): void {
  for (const mark of all('[data-fill]')) {
    const value = own[mark.dataset.fill ?? '']
    if (value === undefined) continue
    mark.textContent = mark.dataset.quoted === undefined ? value : `'${value}'`
    mark.classList.add('filled')
  }
}
