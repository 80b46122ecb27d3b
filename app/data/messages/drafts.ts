import { useEffect, useSyncExternalStore } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { draftKey } from '../persistence/deviceStorage.ts'
import { cancelWrite, writeNow, writeSoon } from '../persistence/draftWrites.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession } from '../session/clientSession.ts'
import { readField, setTyped, storedDrafts, subscribe, typedDraft } from './draftFields.ts'
import type { TypedDraft } from './draftFields.ts'
import { copyDraft } from './emptyField.ts'

/** Loaded with the first draft. */
const loadDraftChanges = () => import('./draftChanges.ts')

export interface ComposerDraft {
  /** In the stored form of messages: with the ids of those whom it mentions. */
  text: string
  /** Id of the quoted message. */
  quote: Uuid | null
  /** Whether the stored drafts are loaded; what is typed before is appended to them. */
  isLoaded: boolean
  /** Whether it was changed on this page, and the change is not stored yet. */
  isTyped: boolean
  setText: (text: string) => void
  /** Empties the field; the stored draft stays. */
  clear: () => void
}

/** The draft of a channel or thread, as this and the person's other devices have changed it. */
export function useDraft(channelId: Uuid, threadRoot: Uuid | null = null): ComposerDraft {
  const conversation = threadRoot ?? channelId
  const stored = useClientSession((session) => storedDrafts(session).get(conversation))
  const isLoaded = useClientSession((session) => session?.outbox.isLoaded() ?? false)
  const current = useSyncExternalStore(subscribe, () => typedDraft(conversation))
  useEffect(() => {
    const save = () =>
      void writeNow(draftKey(channelId, threadRoot)).then(async () =>
        (await loadDraftChanges()).makeDue(conversation),
      )
    const onVisibility = () => {
      if (document.hidden) save()
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      save()
    }
  }, [channelId, threadRoot, conversation])
  return {
    text: current?.text ?? stored?.body ?? '',
    quote: (current ?? stored)?.quote ?? null,
    isLoaded,
    isTyped: current !== undefined,
    setText: (text) => changeDraft(channelId, threadRoot, { text }),
    clear: () => {
      cancelWrite(draftKey(channelId, threadRoot))
      setTyped(conversation, null)
    },
  }
}

/** Quotes a message in the draft of a channel or thread; null removes the quote. */
export function setQuote(channelId: Uuid, threadRoot: Uuid | null, messageId: Uuid | null): void {
  changeDraft(channelId, threadRoot, { quote: messageId })
}

/** Changes the text or the quote of a draft: in its field at once, in the outbox after a pause. */
export function changeDraft(
  channelId: Uuid,
  threadRoot: Uuid | null,
  change: Partial<Pick<TypedDraft, 'text' | 'quote'>>,
): void {
  const conversation = threadRoot ?? channelId
  const before = readField(conversation)
  const { from = before.text, run = { written: Promise.resolve() } } = typedDraft(conversation) ?? {}
  const draft = { from, run, text: before.text, quote: before.quote, ...change }
  setTyped(conversation, draft)
  const key = draftKey(channelId, threadRoot)
  const store = async (): Promise<void> => {
    const session = getClientSession()
    if (!session) return
    // The stored draft would be overwritten.
    if (!session.outbox.isLoaded()) return writeSoon(key, write, copy)
    const { putDraft } = await loadDraftChanges()
    const latest = typedDraft(conversation)
    // An earlier write has stored it, or a message that is being stored has its text.
    if (latest?.run !== run) return
    run.writing = latest.text
    await putDraft(session, channelId, threadRoot, latest)
    const now = typedDraft(conversation)
    if (now?.run === run) setTyped(conversation, now === latest ? null : { ...now, from: latest.text })
  }
  const write = (): Promise<void> => (run.written = run.written.then(store, store))
  const copy = () => {
    const latest = typedDraft(conversation)
    return latest?.run === run ? copyDraft(channelId, threadRoot, latest) : null
  }
  writeSoon(key, write, copy)
}
