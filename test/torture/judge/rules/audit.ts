/** Every command of an operator that was carried out is in the audit log, once; and nothing else is. */
import type { Evidence, Rule, Violation } from '../evidence.ts'

/** What a command writes besides the entry under its own name: a link on a chain, before it is asked for. */
const BESIDES = new Set(['wallet.add.begun'])

export const commandsAreAudited: Rule = ({ commands, audit }: Evidence) => {
  const key = ({ action, target }: { action: string; target: string }) => `${action} ${target}`
  const asked = Map.groupBy(commands, key)
  const written = Map.groupBy(
    audit.filter(({ action }) => !BESIDES.has(action)),
    key,
  )
  return [...new Set([...asked.keys(), ...written.keys()])].flatMap((subject): Violation[] => {
    const least = (asked.get(subject) ?? []).filter(({ outcome }) => outcome === 'done').length
    const most = least + (asked.get(subject) ?? []).filter(({ outcome }) => outcome === 'unknown').length
    const count = written.get(subject)?.length ?? 0
    const times = least === most ? `${least}` : `${least} to ${most}`
    if (count >= least && count <= most) return []
    return [{ rule: 'audit', subject, message: `was done ${times} times, and is in the log ${count} times` }]
  })
}
