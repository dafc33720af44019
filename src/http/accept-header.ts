/** The Accept header: which of two forms of a page a client would rather have. */

/** Whether it names `type`, and not `other` before it. Weights (`q=`) are not read: browsers and tools name first what they want. */
export function prefers({ accept = '' }: { accept?: string | undefined }, type: string, other: string): boolean {
  const names = accept.toLowerCase()
  const [at, otherAt] = [names.indexOf(type), names.indexOf(other)]
  return at !== -1 && (otherAt === -1 || at < otherAt)
}
