/** Under which the page remembers for which build it has started again. */
const KEY = 'linnet.reloaded'

/**
 * A new build takes the old files away: a page that asks for one starts again, once for its build; not while nobody
 * answers, where what is open would be lost. Answers whether it does. `keep` writes what is being typed first.
 */
export async function startAgain(page: {
  /** Names the build that runs. */
  build: string
  /** Whether the server has a page to start with: offline or while it restarts, a file is missing too. */
  answers: () => Promise<boolean>
  memory: Pick<Storage, 'getItem' | 'setItem'>
  keep: () => Promise<void>
  reload: () => void
}): Promise<boolean> {
  const { build, memory } = page
  if (memory.getItem(KEY) === build || !(await page.answers())) return false
  memory.setItem(KEY, build)
  // A device that keeps nothing must not hold up the way to a page that works.
  await page.keep().catch(() => {})
  page.reload()
  return true
}
