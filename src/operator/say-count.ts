/** How many of something, in a sentence: `1 line`, `3 lines`. */
export function sayCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
