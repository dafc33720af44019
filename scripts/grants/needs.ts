/** What statements need from whoever runs them. */
import { type Change, changesIn, UNKNOWN_TABLE } from '../../test/support/sql-tables.ts'
import { type SqlToken, tokenizeSql } from '../../test/support/sql-tokens.ts'
import type { Text } from '../../test/support/typescript-source.ts'
import type { Catalogue } from './catalogue.ts'
import { INSERTED_WHEN_RUN } from './roles.ts'

/** What is needed of one table. */
export type Need = {
  delete: boolean
  /** Columns; `all` where a statement does not say which. */
  insert: Set<string> | 'all'
  update: Set<string> | 'all'
  /** Rows are locked, for which a right to update any column is enough. */
  lock: boolean
  /** System columns are read, which takes the right to read all the others. */
  whole: boolean
}

export type Needs = {
  /** Every table that is mentioned, with what is done beyond reading. */
  tables: Map<string, Need>
  /** Every word, among them the columns that are read. */
  words: Set<string>
}

/** Nothing yet. */
export function noNeeds(): Needs {
  return { tables: new Map(), words: new Set() }
}

/** What is needed of a table, to be added to. */
export function needOf({ tables }: Needs, table: string): Need {
  const known = tables.get(table) ?? {
    delete: false,
    insert: new Set<string>(),
    update: new Set<string>(),
    lock: false,
    whole: false,
  }
  tables.set(table, known)
  return known
}

/**
 * Adds what a text needs.
 * @param unnamed the tables that it may mean where it does not say
 * @throws Error when it does something that this cannot tell
 */
export function addText(
  needs: Needs,
  { text, holes }: Pick<Text, 'text' | 'holes'>,
  { tables, ownersFunctions }: Catalogue,
  unnamed: readonly string[] | undefined,
): void {
  const tokens = tokenizeSql(text, holes)
  const whole = tokens.some(({ kind, text: word }) => kind === 'word' && SYSTEM_COLUMNS.has(word))
  for (const { kind, text: word } of tokens) {
    if (kind !== 'word' && kind !== 'quoted') continue
    needs.words.add(word)
    if (tables.has(word)) needOf(needs, word).whole ||= whole
    if (ownersFunctions.includes(word)) needs.words.add(`${word}()`)
  }
  for (const change of changesIn(tokens)) {
    for (const table of namesOf(change, unnamed, text)) addChange(needOf(needs, table), change)
  }
  for (const table of unnamed ?? []) needOf(needs, table).whole ||= whole
  for (const table of lockedIn(tokens, tables)) {
    for (const name of table === UNKNOWN_TABLE ? (unnamed ?? []) : [table]) needOf(needs, name).lock = true
  }
}

function namesOf({ table }: Change, unnamed: readonly string[] | undefined, text: string): readonly string[] {
  if (table !== UNKNOWN_TABLE) return [table]
  if (unnamed === undefined) throw new Error(`It is not said which table is written: ${text}`)
  return unnamed
}

function addChange(need: Need, { verb, table, columns = INSERTED_WHEN_RUN[`${verb} ${table}`] }: Change): void {
  if (verb === 'delete') need.delete = true
  else if (verb !== 'insert' && verb !== 'update') throw new Error(`no role may ${verb}`)
  else if (columns === undefined) need[verb] = 'all'
  else {
    const known = need[verb]
    if (known !== 'all') for (const column of columns) known.add(column)
  }
}

/** Whether rows are inserted, or updated. */
export const isGiven = (columns: Set<string> | 'all'): boolean => columns === 'all' || columns.size > 0

const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])

const STRENGTH = /^(update|share|no key update|key share)\b/

/** The tables whose rows a `for update` and its like lock. */
function lockedIn(tokens: readonly SqlToken[], tables: Catalogue['tables']): string[] {
  return tokens.flatMap((token, index) => {
    const following = tokens.slice(index + 1, index + 8)
    const rest = following.map(({ text }) => text).join(' ')
    if (token.text !== 'for' || token.kind !== 'word' || !STRENGTH.test(rest)) return []
    const of = following.findIndex(({ text }) => text === 'of')
    const alias = of === -1 || of > 3 ? undefined : following[of + 1]?.text
    const from = tokens.findLastIndex(
      ({ text, kind, depth }, at) => at < index && kind === 'word' && text === 'from' && depth <= token.depth,
    )
    const scope = tokens.slice(Math.max(from, 0), index).filter(({ depth }) => depth <= token.depth)
    const named = scope.flatMap(({ kind, text }, at) => {
      if (kind === 'hole') return [{ table: UNKNOWN_TABLE, alias: scope[at + 1]?.text }]
      if (!tables.has(text)) return []
      const next = scope[at + 1]?.text === 'as' ? scope[at + 2] : scope[at + 1]
      return [{ table: text, alias: next?.text }]
    })
    const meant = named.filter((one) => alias === undefined || one.alias === alias || one.table === alias)
    if (meant.length === 0)
      throw new Error(`It is not said which table is locked: ${scope.map((one) => one.text).join(' ')}`)
    return meant.map(({ table }) => table)
  })
}
