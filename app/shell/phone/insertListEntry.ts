import { readPageAddress } from '../../ui/pageAddress.ts'
import { readHistoryState, type HistoryState } from './recordNavigation.ts'

/** Inserts the list as the previous entry when the app was opened by a link, so that "back" leads to it. */
export function insertListEntry(): void {
  const address = readPageAddress()
  if (address === '/' || readHistoryState().from !== undefined) return
  history.replaceState(null, '', '/')
  history.pushState({ from: '/' } satisfies HistoryState, '', address)
}
