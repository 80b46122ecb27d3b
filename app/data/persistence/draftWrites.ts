import type { Uuid } from '../../../wire/scalars.ts'

/** Milliseconds between a key stroke and the write. */
const WRITE_DELAY_MS = 300
/** Milliseconds after which a text is written although its author is still typing. */
const MAX_WRITE_DELAY_MS = 1_000

/** A text that IndexedDB does not store yet, as `copyDrafts` stores it. */
export interface DraftCopy {
  text: string
  /** The text that it replaces; null: whatever is stored. */
  from: string | null
  /** Of the draft of an edit: the body of the message that it changes. */
  base?: string
  /** Of the draft of a channel or thread; absent for an edit. */
  conversation?: {
    workspace: Uuid
    channel: Uuid
    threadRoot: Uuid | null
    quote: Uuid | null
    /** An earlier text whose write had no result yet. */
    writing: string | undefined
    /** The message that the outbox was about to store with this text. */
    message: Uuid | undefined
  }
}

/** Returns the present text of a field; null if it needs no copy. */
type CopyDraft = () => DraftCopy | null

interface DraftWrite {
  write: () => Promise<void>
  copy: CopyDraft
  /** When the oldest change that it writes was made, by this device's clock in ms. */
  since: number
  timer: ReturnType<typeof setTimeout>
}

/** Writes that are due soon, by key. */
const writing = new Map<string, DraftWrite>()
/** Texts that are being written, by key. */
const unsaved = new Map<string, CopyDraft>()
/** The keys in `localStorage` of copies whose text this page writes, by key. */
const copied = new Map<string, string>()
/** Drafts that are being replaced by a message or edit, by key. */
const sending = new Map<string, Promise<unknown>>()

/** Writes a draft that is due soon now. */
export async function writeNow(key: string): Promise<void> {
  const waiting = writing.get(key)
  if (!waiting) return
  cancelWrite(key)
  // On a full disk the draft does not survive a reload; the field keeps its text.
  await keepCopy(key, waiting.copy, async () => {
    // Text typed since then belongs to the next message.
    await sending.get(key)
    await waiting.write()
  }).catch(() => {})
}

/** Writes all drafts at once: the page is about to reload. */
export async function flushDrafts(): Promise<void> {
  await Promise.all(Array.from(writing.keys(), writeNow))
}

/**
 * Calls `write` after a pause, and at the latest a second after the first change that was not written. It replaces an
 * earlier write of the key.
 */
export function writeSoon(key: string, write: () => Promise<void>, copy: CopyDraft): void {
  const now = Date.now()
  const { since = now } = writing.get(key) ?? {}
  cancelWrite(key)
  // After the clock was set back, the pause counts alone.
  const left = Math.max(0, since + MAX_WRITE_DELAY_MS - now)
  const timer = setTimeout(() => void writeNow(key), Math.min(WRITE_DELAY_MS, left))
  writing.set(key, { write, copy, since: Math.min(since, now), timer })
}

/** Removes a write that is due soon. */
export function cancelWrite(key: string): void {
  clearTimeout(writing.get(key)?.timer)
  writing.delete(key)
}

/**
 * Runs `store`, which stores the text elsewhere and deletes its draft. Until then the draft contains all of the text, so
 * that nothing is lost if the page ends before.
 */
export async function replaceDraft<T>(key: string, store: () => Promise<T>): Promise<T> {
  const stored = writeNow(key).then(store)
  const ended = stored.catch(() => {})
  sending.set(key, ended)
  try {
    return await stored
  } finally {
    if (sending.get(key) === ended) sending.delete(key)
  }
}

/** The text that is not written yet, or that an earlier page could not write. */
export function readUnsavedDraft(userId: Uuid, key: string): DraftCopy | null {
  const current = (writing.get(key)?.copy ?? unsaved.get(key))?.()
  if (current) return current
  const storageKey = keyOfCopy(userId, key)
  const copy = readCopy(storageKey)
  if (copy) copied.set(key, storageKey)
  return copy
}

/** Runs `store`. If the page closes before it ends, the text is copied. */
export async function keepCopy<T>(key: string, copy: CopyDraft, store: () => Promise<T>): Promise<T> {
  unsaved.set(key, copy)
  const stored = await store()
  if (unsaved.get(key) === copy) {
    unsaved.delete(key)
    const storageKey = copied.get(key)
    if (storageKey !== undefined && !writing.has(key)) {
      copied.delete(key)
      removeCopy(storageKey)
    }
  }
  return stored
}

const PREFIX = 'linnet.unsaved.'
const keyOfCopy = (userId: Uuid, key: string): string => `${PREFIX}${userId}/${key}`

/**
 * Copies the texts that IndexedDB does not store yet to `localStorage`. The page is closing, and the browser aborts
 * transactions that it has begun. A write to `localStorage` ends at once.
 */
export function copyDrafts(userId: Uuid): void {
  const due = Array.from(writing, ([key, { copy }]) => [key, copy] as const)
  for (const [key, copy] of [...unsaved, ...due]) {
    const text = copy()
    const storageKey = keyOfCopy(userId, key)
    try {
      if (text) {
        localStorage.setItem(storageKey, JSON.stringify(text))
        copied.set(key, storageKey)
      }
    } catch {
      // The browser refuses storage, or it is full.
    }
  }
}

/** A copy that an earlier page has stored. */
export interface StoredCopy {
  copy: DraftCopy
  /** Deletes it, unless this page has replaced it by a newer one. */
  remove: () => void
}

/** The texts that earlier pages of the account could not write. */
export function readCopies(userId: Uuid): StoredCopy[] {
  try {
    return Object.entries({ ...localStorage }).flatMap(([key, stored]) => {
      const copy = key.startsWith(keyOfCopy(userId, '')) ? readCopy(key) : null
      return copy ? [{ copy, remove: () => removeCopy(key, stored as string) }] : []
    })
  } catch {
    return []
  }
}

/** Deletes a copy whose text is stored; `stored`: only if it is still this one. */
function removeCopy(storageKey: string, stored?: string): void {
  try {
    if (stored === undefined || localStorage.getItem(storageKey) === stored)
      localStorage.removeItem(storageKey)
  } catch {
    // The browser refuses storage.
  }
}

function readCopy(storageKey: string): DraftCopy | null {
  try {
    const copy = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as DraftCopy | null
    return typeof copy?.text === 'string' ? copy : null
  } catch {
    return null
  }
}
