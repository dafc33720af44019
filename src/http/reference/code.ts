/** Code in pages: coloured by what it is, with marks where a sandbox fills in what is its own. */
import { escapeHtml } from '../../values/html.ts'

/** What samples take from the environment, and a sandbox can fill in. */
export const FILLED = ['COIN_API', 'COIN_KEY', 'CUSTOMER', 'WALLET', 'RECIPIENT', 'CORPORATE', 'REFERENCE'] as const

type Rule = { kind: string; pattern: RegExp; inner?: readonly Rule[] }

const NAMES = FILLED.join('|')
const FILL_SHELL: Rule = { kind: 'fill', pattern: new RegExp(`\\$(?:${NAMES})\\b`) }
const FILL_SCRIPT: Rule = { kind: 'fill-quoted', pattern: new RegExp(`process\\.env\\.(?:${NAMES}) \\?\\? ''`) }
const VARIABLE: Rule = { kind: 'variable', pattern: /\$\([^()]*\)|\$\w+/ }
const NUMBER: Rule = { kind: 'number', pattern: /\b\d[\d_.]*\b/ }

const SHELL: readonly Rule[] = [
  { kind: 'comment', pattern: /(?<=^|\s)#[^\n]*/ },
  { kind: 'string', pattern: /'[^']*'/ },
  { kind: 'string', pattern: /"(?:\\.|[^"\\])*"/, inner: [FILL_SHELL, VARIABLE] },
  FILL_SHELL,
  VARIABLE,
  { kind: 'option', pattern: /(?<=\s)--?[A-Za-z][\w-]*/ },
]
const KEYWORDS =
  'import|from|export|const|let|await|async|function|return|if|else|for|of|new|throw|try|catch|type|instanceof|null|true|false|undefined'
const SCRIPT: readonly Rule[] = [
  { kind: 'comment', pattern: /\/\/[^\n]*|\/\*.*?\*\// },
  FILL_SCRIPT,
  { kind: 'string', pattern: /'[^'\n]*'|"[^"\n]*"|`[^`]*`/ },
  { kind: 'keyword', pattern: new RegExp(`\\b(?:${KEYWORDS})\\b`) },
  NUMBER,
]
const DATA: readonly Rule[] = [
  { kind: 'name', pattern: /"(?:\\.|[^"\\])*"(?=\s*:)/ },
  { kind: 'string', pattern: /"(?:\\.|[^"\\])*"/ },
  { kind: 'keyword', pattern: /\b(?:true|false|null)\b/ },
  NUMBER,
]
const RULES: Readonly<Record<string, readonly Rule[]>> = { sh: SHELL, ts: SCRIPT, js: SCRIPT, json: DATA }

/** A block of code. Blocks can be reached with the keyboard, because they scroll. */
export function codeBlock(code: string, language: string): string {
  return `<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${paint(code, RULES[language] ?? [])}</code></pre>`
}

/** Code with its parts marked. */
function paint(code: string, rules: readonly Rule[]): string {
  if (rules.length === 0) return escapeHtml(code)
  const any = new RegExp(rules.map(({ pattern }) => `(${pattern.source})`).join('|'), 'gms')
  let html = ''
  let at = 0
  for (const match of code.matchAll(any)) {
    const rule = rules[match.slice(1).findIndex((found) => found !== undefined)]
    html += escapeHtml(code.slice(at, match.index)) + mark(match[0], rule)
    at = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(at))
}

function mark(text: string, rule: Rule | undefined): string {
  if (rule === undefined) return escapeHtml(text)
  if (rule.kind.startsWith('fill')) {
    const name = new RegExp(NAMES).exec(text)?.[0] ?? ''
    const quoted = rule.kind === 'fill-quoted' ? ' data-quoted' : ''
    return `<span class="fill" data-fill="${name}"${quoted}>${escapeHtml(text)}</span>`
  }
  return `<span class="${rule.kind}">${paint(text, rule.inner ?? [])}</span>`
}
