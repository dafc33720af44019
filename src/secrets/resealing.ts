/** What is sealed under an earlier key is sealed anew under the present one, a bounded step at a time. */
import type { SecretBox } from './secrets.ts'

/** A stored value that was not sealed under the present key. */
export type SealedValue = {
  /** Names it in its table, and orders it there. */
  key: string
  /** What it was sealed for. */
  boundTo: string
  sealed: string
  /** Whose it is, for whoever must set it again where nothing opens it. */
  whose?: string
}

/** A value under the present key. `secrets`: what has sealed it. */
export type Anew = { sealed: string; text: string; secrets: SecretBox }

/** A table's sealed values, as the room that writes it provides them. `Tx`: its handle of a transaction. */
export type SealedTable<Tx> = {
  name: string
  /** Values that do not begin with `prefix`, in the order of their keys, after one, at most `limit`. */
  find(tx: Tx, given: { prefix: string; after: string; limit: number }): Promise<SealedValue[]>
  /**
   * Puts another value in its place, unless it was changed meanwhile.
   * @param anew.text what is sealed, for tables that keep keyed hashes of it
   * @returns whether it did
   */
  replace(tx: Tx, value: SealedValue, anew: Anew): Promise<boolean>
}

/** `unreadable`: sealed under a key that is not known here. `next`: where the next step goes on; null at the end. */
export type Resealed = { resealed: number; unreadable: string[]; next: { table: string; key: string } | null }

/**
 * One step: seals at most `limit` values anew, in the caller's transaction. Running it again changes nothing that is done,
 * and a value that somebody replaces meanwhile is left alone.
 * @param from where an earlier step ended
 */
export async function resealStep<Tx>(
  tx: Tx,
  secrets: SecretBox,
  tables: readonly SealedTable<Tx>[],
  { from, limit }: { from: Resealed['next']; limit: number },
): Promise<Resealed> {
  const start = from === null ? 0 : tables.findIndex(({ name }) => name === from.table)
  const done: Resealed = { resealed: 0, unreadable: [], next: null }
  for (const [index, table] of tables.slice(Math.max(start, 0)).entries()) {
    const after = index === 0 && from !== null ? from.key : ''
    const values = await table.find(tx, { prefix: secrets.prefix, after, limit })
    for (const value of values) {
      const anew = resealedOf(secrets, value)
      const { key, whose } = value
      if (anew === undefined) done.unreadable.push(`${table.name} ${key}${whose === undefined ? '' : ` (${whose})`}`)
      else if (await table.replace(tx, value, anew)) done.resealed += 1
    }
    const last = values.at(-1)
    if (values.length === limit && last !== undefined) return { ...done, next: { table: table.name, key: last.key } }
  }
  return done
}

function resealedOf(secrets: SecretBox, { sealed, boundTo }: SealedValue): Anew | undefined {
  try {
    const text = secrets.open(sealed, boundTo)
    return { sealed: secrets.seal(text, boundTo), text, secrets }
  } catch {
    return undefined
  }
}
