/** What a program that a test starts gets of the test's own environment: where programs are, and what Node made of their modules before. */
export function childEnvironment(): { PATH: string | undefined; NODE_COMPILE_CACHE: string | undefined } {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE }
}
