/** How the demo looks in a terminal. */
import { styleText } from 'node:util'

export type Printer = {
  step(title: string): void
  /** A request and its answer. */
  call(request: string, answer: string): void
  /** A change of an order, `elapsedMs` after its request. */
  change(elapsedMs: number, text: string): void
  /** Something that was read from the chain. */
  onChain(text: string): void
  note(text: string): void
  check(text: string, holds: boolean): void
}

/** Prints through `write`, a line at a time. */
export function createPrinter(write: (line: string) => void): Printer {
  let steps = 0
  return {
    step(title) {
      steps += 1
      write('')
      write(styleText('bold', `${steps}. ${title}`))
    },
    call(request, answer) {
      write(`   ${styleText('cyan', request)}`)
      write(`   → ${answer}`)
    },
    change: (elapsedMs, text) => write(`   ${`${(elapsedMs / 1_000).toFixed(1)} s`.padStart(7)}  ${text}`),
    onChain: (text) => write(`   ${styleText('magenta', 'chain')}    ${text}`),
    note: (text) => write(`   ${styleText('dim', text)}`),
    check: (text, holds) => write(`   ${holds ? styleText('green', '✓') : styleText('red', '✗')} ${text}`),
  }
}
