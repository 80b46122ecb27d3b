import { goBack, navigate, readEntryState } from '../../historyState.ts'
import { findPage, type PageName } from '../../paths.ts'

const LIST_PAGES: ReadonlySet<PageName | undefined> = new Set([
  'activity',
  'search',
  'threads',
  'catchUp',
  'direct',
  'you',
] as const)

/** Whether conversations and threads that are opened from this path lead back to it. */
export function isListPath(path: string): boolean {
  return LIST_PAGES.has(findPage(path)?.name)
}

/**
 * Navigates up to `to`, or to the list from which the entry was reached: with `goBack` if it was reached from there, so
 * that the browser's own "back" does not return to the lower page.
 */
export function navigateUp(to: string): void {
  const { from } = readEntryState()
  if (from !== undefined && (from === to || isListPath(from))) goBack()
  else navigate(to, { replace: true })
}
