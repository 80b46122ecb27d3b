/** Milliseconds between a key stroke and the write. */
const WRITE_DELAY_MS = 300
/** Writes that are due soon, by key; `text`: of an edit. */
const writing = new Map<
  string,
  { write: () => Promise<void>; text: string; timer: ReturnType<typeof setTimeout> }
>()
/** Drafts that are being replaced by a message or edit, by key. */
const sending = new Map<string, Promise<unknown>>()

/** Writes a draft that is due soon now. */
export async function writeNow(key: string): Promise<void> {
  const waiting = writing.get(key)
  if (!waiting) return
  cancelWrite(key)
  try {
    // Text typed since then belongs to the next message.
    await sending.get(key)
    await waiting.write()
  } catch {
    // On a full disk the draft does not survive a reload; the field keeps its text.
  }
}

/** Writes all drafts at once: the page is about to reload. */
export async function flushDrafts(): Promise<void> {
  await Promise.all(Array.from(writing.keys(), writeNow))
}

/** Calls `write` after a pause; it replaces an earlier write of the key. */
export function writeSoon(key: string, write: () => Promise<void>, text = ''): void {
  cancelWrite(key)
  writing.set(key, { write, text, timer: setTimeout(() => void writeNow(key), WRITE_DELAY_MS) })
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

/** The text that is due to be written, if any. */
export function textToWrite(key: string): string | undefined {
  return writing.get(key)?.text
}
