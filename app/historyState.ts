import { useHistoryState } from 'wouter/use-browser-location'
import type { Timestamp, Uuid } from '../wire/scalars.ts'

// The only module that writes the browser's history, and the only reader of the state of its entries.

/** Where a code for signing in was sent. */
export type CodeRecipient = { email: string } | { phone: string }

/** The state of an entry of the browser's history. */
export interface EntryState {
  /** The path from which the entry was reached. */
  from?: string | undefined
  /** An overlay is open, which "back" closes. */
  overlay?: boolean
  /** The scroll position of the page's list. */
  scrollTop?: number
  /** How many items of a long list are rendered. */
  grown?: { list: string; count: number }
  /** The time up to which the reader had seen reactions when the entry was opened. */
  seenAt?: Timestamp
  /** The opened result of the search. */
  result?: Uuid
  /** The recipient of the pending code. */
  codeRecipient?: CodeRecipient
}

/** The state of the current entry at this moment. */
export function readEntryState(): EntryState {
  return (history.state as EntryState | null) ?? {}
}

/** The state of the current entry. */
export function useEntryState(): EntryState {
  return useHistoryState<EntryState | null>() ?? {}
}

/** Writes that wait until the browser has gone back; null while it is not going back. */
let pendingWrites: (() => void)[] | null = null

function write(change: () => void): void {
  if (pendingWrites) pendingWrites.push(change)
  else change()
}

/** Opens an address of the app in a new entry, or in the current one. */
export function navigate(
  address: string,
  { replace = false, state }: { replace?: boolean; state?: EntryState } = {},
): void {
  write(() => {
    if (replace) history.replaceState(state ?? null, '', address)
    else history.pushState(state ?? null, '', address)
  })
}

/** Adds to the state of the current entry. */
export function changeEntryState(change: EntryState): void {
  write(() => history.replaceState({ ...readEntryState(), ...change }, ''))
}

/** Restores the methods of the history that other code calls. */
let restoreHistoryMethods = (): void => {}

/**
 * Goes back to the previous entry. The browser does so a few milliseconds later, and would undo a write that happens in
 * between. All writes therefore wait for `popstate`. This includes writes that do not use this module.
 */
export function goBack(): void {
  write(() => {
    const { pushState, replaceState } = history
    pendingWrites = []
    history.pushState = (...entry) => write(() => history.pushState(...entry))
    history.replaceState = (...entry) => write(() => history.replaceState(...entry))
    restoreHistoryMethods = () => Object.assign(history, { pushState, replaceState })
    history.back()
  })
}

/** Close functions of the open overlays, the topmost last. */
const overlays: (() => void)[] = []

function openOverlayEntry(): void {
  write(() => {
    if (!readEntryState().overlay) history.pushState({ ...readEntryState(), overlay: true }, '')
  })
}

function leaveOverlayEntry(): void {
  write(() => {
    if (overlays.length === 0 && readEntryState().overlay) goBack()
  })
}

/**
 * Adds an entry to the browser's history while an overlay is open, so that "back" closes the overlay and stays on the
 * page. All overlays that are open share one entry. Returns the function to call when the overlay has closed.
 */
export function closeOnBack(close: () => void): () => void {
  overlays.push(close)
  openOverlayEntry()
  return () => {
    overlays.splice(overlays.lastIndexOf(close), 1)
    // Delayed: an overlay that replaces this one reuses its entry.
    setTimeout(leaveOverlayEntry)
  }
}

/** The path of the current entry and the path from which it was reached; null while this is not recorded. */
let recorded: { path: string; from: string | undefined } | null = null

function recordOrigin(from: string | undefined): void {
  recorded = { path: location.pathname, from }
  if (readEntryState().from !== from) history.replaceState({ ...readEntryState(), from }, '')
}
const onPush = (): void => recordOrigin(recorded?.path)
const onReplace = (): void => recordOrigin(recorded?.from)

/**
 * Stores in each entry of the history the path from which it was reached, so that "Back" can use `goBack`. Uses the
 * events of the router. Returns the function that stops it.
 */
export function recordNavigation(): () => void {
  recorded = { path: location.pathname, from: readEntryState().from }
  addEventListener('pushState', onPush)
  addEventListener('replaceState', onReplace)
  return () => {
    recorded = null
    removeEventListener('pushState', onPush)
    removeEventListener('replaceState', onReplace)
  }
}

/** Ends the wait for the way back. */
function takePendingWrites(): (() => void)[] | null {
  const writes = pendingWrites
  pendingWrites = null
  if (writes) restoreHistoryMethods()
  return writes
}

/** The browser shows the page again after the way back led to another page: the writes were not for this entry. */
function onPageShow({ persisted }: PageTransitionEvent): void {
  if (persisted) takePendingWrites()
}

function onPopState(): void {
  if (recorded) recorded = { path: location.pathname, from: readEntryState().from }
  const writes = takePendingWrites()
  for (const change of writes ?? []) write(change)
  if (readEntryState().overlay) {
    // No overlay is open for this entry: a link in an overlay led on from here, or "forward" led here again.
    leaveOverlayEntry()
  } else if (!writes) {
    overlays.at(-1)?.()
    if (overlays.length > 1) openOverlayEntry()
  }
}

// Tests of data run without a browser.
if (typeof history !== 'undefined') {
  addEventListener('popstate', onPopState)
  addEventListener('pageshow', onPageShow)
}
