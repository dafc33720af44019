/** What a test file's process keeps for its next test, and ends with its last. */

const works: (() => Promise<void>)[] = []
let isPromised = false

/** Called once, before any test file is loaded, by what will call `endAll`. */
export function promiseAnEnd(): void {
  isPromised = true
}

/** @returns whether `work` will be done: not in a process that is not the runner's, which must keep nothing */
export function atTheEnd(work: () => Promise<void>): boolean {
  if (isPromised) works.push(work)
  return isPromised
}

/** After the last test. */
export async function endAll(): Promise<void> {
  await Promise.all(works.splice(0).map((work) => work()))
}
