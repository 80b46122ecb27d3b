/** Under which the page remembers for which build it has started again. */
const KEY = 'linnet.reloaded'

/**
 * A new build takes the old files away: a page that requests one starts again, once for its build; not while nobody
 * answers, where what is open would be lost. Answers whether it does. `keep` writes what is being typed first.
 */
export async function reloadForNewBuild(page: {
  /** Names the build that runs. */
  build: string
  /** Whether the server has a page to start with: offline or while it restarts, a file is missing too. */
  isServerReachable: () => Promise<boolean>
  storage: Pick<Storage, 'getItem' | 'setItem'>
  saveDrafts: () => Promise<void>
  reload: () => void
}): Promise<boolean> {
  const { build, storage } = page
  if (storage.getItem(KEY) === build || !(await page.isServerReachable())) return false
  storage.setItem(KEY, build)
  // A device that keeps nothing must not hold up the way to a page that works.
  await page.saveDrafts().catch(() => {})
  page.reload()
  return true
}
