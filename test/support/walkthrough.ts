/** Shell commands of a document, in order, each with who types it. */

/** What one person types at one point. */
export type Block = { who: string; script: string }
export type Step = { title: string; blocks: Block[] }

/**
 * The steps of a section: the headings one level below its own, each with its shell blocks. A block belongs to whoever the last words before it
 * name: those after `On`, or those with which the paragraph begins, such as `Mei Ling` in `Mei Ling runs them again:`.
 * @param document Markdown
 * @param section the heading's text
 * @param people the names that may stand there
 * @throws Error when the section is missing, or nobody is named
 */
export function stepsOf(document: string, section: string, people: readonly string[]): Step[] {
  const found = new RegExp(`^(?<level>#+) ${section}\n`, 'm').exec(document)
  if (found === null) throw new Error(`There is no section ${section}`)
  const level = found.groups?.level ?? ''
  const [text = ''] = document.slice(found.index + found[0].length).split(new RegExp(`^#{1,${level.length}} `, 'm'), 1)
  const [, ...parts] = text.split(new RegExp(`^${level}# `, 'm'))
  return parts.map((part) => {
    const [title = ''] = part.split('\n', 1)
    return { title, blocks: blocksOf(part, title, people) }
  })
}

/** The blocks below one subheading, wherever it stands. @throws Error when there is no such subheading */
export function blocksUnder(document: string, title: string, people: readonly string[]): Block[] {
  const part = document.split(/^#+ /m).find((each) => each.startsWith(`${title}\n`))
  if (part === undefined) throw new Error(`Nothing is called ${title}`)
  return blocksOf(part, title, people)
}

function blocksOf(part: string, title: string, people: readonly string[]): Block[] {
  const blocks = [...part.matchAll(/^([^\n]+)\n\n```sh\n(.*?)^```$/gms)].map(([, before = '', script = '']) => {
    const who = before.endsWith(':') ? people.find((name) => lastSentence(before).startsWith(name)) : undefined
    if (who === undefined) throw new Error(`Nobody types the block under ${title} that follows "${before}"`)
    return { who, script }
  })
  const fences = part.match(/^```sh$/gm)?.length ?? 0
  if (fences === blocks.length) return blocks
  throw new Error(
    `${title} has ${fences} shell blocks, of which ${blocks.length} stand below the words and a blank line`,
  )
}

function lastSentence(line: string): string {
  return line.split('. ').at(-1) ?? ''
}

/**
 * The script with values of one place: every assignment of a given name has the given value instead of what stands there.
 * @throws Error when a value is left that the document leaves open with `…`
 */
export function withValues(script: string, given: Readonly<Record<string, string>>): string {
  const filled = Object.entries(given).reduce(
    (text, [name, value]) =>
      text.replace(new RegExp(`(?<=^|\\s)${name}=[^\\s$]\\S*`, 'gm'), () => `${name}='${value}'`),
    script,
  )
  const open = /\S*=\S*…\S*/.exec(filled)
  if (open !== null) throw new Error(`Nothing is given for ${open[0]}`)
  return filled
}
