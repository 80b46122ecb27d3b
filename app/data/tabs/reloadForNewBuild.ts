/** Session storage key of the build for which the page was reloaded. */
const KEY = 'linnet.reloaded'

/**
 * Reloads a page whose build was replaced on the server: its files are missing. Once for each build, and not while the
 * server is unreachable, since the open page would be lost. Returns whether it reloads. `saveDrafts` is called before.
 */
export async function reloadForNewBuild(page: {
  /** Name of the running build. */
  build: string
  /** Whether the server sends the page: offline or while it restarts, files are missing too. */
  isServerReachable: () => Promise<boolean>
  storage: Pick<Storage, 'getItem' | 'setItem'>
  saveDrafts: () => Promise<void>
  reload: () => void
}): Promise<boolean> {
  const { build, storage } = page
  if (storage.getItem(KEY) === build || !(await page.isServerReachable())) return false
  storage.setItem(KEY, build)
  // A failure to store drafts must not prevent the reload.
  await page.saveDrafts().catch(() => {})
  page.reload()
  return true
}
