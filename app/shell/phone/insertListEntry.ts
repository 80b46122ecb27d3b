import { navigate, readEntryState } from '../../historyState.ts'
import { pathTo } from '../../paths.ts'
import { readPageAddress } from '../../ui/pageAddress.ts'

/** Inserts the list as the previous entry when the app was opened by a link, so that "back" leads to it. */
export function insertListEntry(): void {
  const address = readPageAddress()
  const list = pathTo('home')
  if (address === list || readEntryState().from !== undefined) return
  navigate(list, { replace: true })
  navigate(address, { state: { from: list } })
}
