/** What a client would rather have, of two forms of the same. */

/** Whether it names a type, and not another one before it. */
export function prefers({ accept = '' }: { accept?: string | undefined }, type: string, other: string): boolean {
  const [at, otherAt] = [type, other].map((name) => accept.toLowerCase().indexOf(name))
  return at !== undefined && at !== -1 && (otherAt === undefined || otherAt === -1 || at < otherAt)
}
