import { i18n } from '@lingui/core'
import { fileKindOf, type FileKind } from '../../../../wire/fileKinds.ts'
import type { ListedFile } from '../../../../wire/files.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { registerSentences, success } from '../../failures/failures.ts'
import type { Follow } from '../../queries/createQuery.ts'
import { createPagedQuery, removeItems, type Page } from '../../queries/pagedQuery.ts'
import { refetchRegularly } from '../../queries/refetchRegularly.ts'
import { callForWorkspace } from '../../workspaces/callForWorkspace.ts'
import { createRevTracker } from './revTracker.ts'

registerSentences({ bad_file_kind: () => i18n._('You can’t filter files by this type.') })

/** Filters of a list of files; null: all that the user can read. */
export interface FileFilter {
  channelId: Uuid | null
  kind: FileKind | null
  author: Uuid | null
  /** Parts of words of the name; empty: any name. */
  terms: string
}

const PAGE_SIZE = 50
/** Interval at which a list is fetched again: public channels that the user has not joined publish no events to them. */
const REFETCH_INTERVAL_MS = 60_000
/** Milliseconds to wait for the event of a change before the list is fetched again. */
const EVENT_DELAY_MS = 1_500

/** Key of an entry: an upload may be attached to several messages. */
export function keyOf({ message_id: message, file }: ListedFile): string {
  return `${message} ${file.id}`
}

/** Files that match a filter, newest first. */
export const fileList = createPagedQuery({
  maxStored: 8,
  events: ['membership'],
  idOf: keyOf,
  follow: followMessages,
  fetch: async (before: string | null, { channelId: channel, kind, author, terms }: FileFilter) => {
    const kinds = kind ? { kinds: [kind] } : {}
    const args = { channel, author, query: terms || null, before, limit: PAGE_SIZE, ...kinds }
    const outcome = await callForWorkspace('list_files', args)
    return outcome.ok ? success({ items: outcome.value.files, next: outcome.value.before }) : outcome
  },
})

/**
 * Fetches the list again when a message with a matching file arrives, and removes the files of deleted messages at once.
 * Gaps in the revs show changes without an event: then the list is fetched again too.
 */
function followMessages(
  ...[list, { store, engine }, filter]: Parameters<Follow<[FileFilter], Page<ListedFile>>>
): () => void {
  const { channelId, kind, author } = filter
  const revTracker = createRevTracker()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The highest received rev of each channel of the list. */
  const revs = () =>
    new Map(
      [...store.get().channels].flatMap(([id, { entry }]) =>
        channelId === null || channelId === id ? [[id, entry.counters.rev] as const] : [],
      ),
    )
  const refetch = () => {
    revTracker.begin(revs())
    list.invalidate()
  }

  function receiveMessage(message: Message) {
    const { id, channel_id: channel, deleted_at: deletedAt, rev } = message
    if (channelId !== null && channel !== channelId) return
    if (deletedAt !== null) removeItems(list, (file) => file.message_id === id)
    else if (!list.state.value?.items.some((file) => file.message_id === id) && isMatch(message)) refetch()
    revTracker.add(channel, rev)
  }

  function isMatch({ author_id, attachments, created_at }: Message): boolean {
    if (author !== null && author_id !== author) return false
    // A change of an older message, such as a reaction, does not add its files to the loaded ones.
    const { items = [], next = null } = list.state.value ?? {}
    const last = next === null ? undefined : items.at(-1)
    if (last && Date.parse(created_at) < Date.parse(last.created_at)) return false
    return attachments.some((file) => kind === null || fileKindOf(file.type) === kind)
  }

  function checkRevs() {
    const current = revs()
    if (timer !== undefined || !revTracker.isBehind(current)) return
    // Files of a channel that is no longer readable are removed at once.
    removeItems(list, ({ channel_id: id }) => revTracker.has(id) && !current.has(id))
    timer = setTimeout(() => {
      timer = undefined
      if (revTracker.isBehind(revs())) refetch()
    }, EVENT_DELAY_MS)
  }

  revTracker.begin(revs())
  // The name of a public channel that the user has not joined.
  if (channelId !== null && !store.get().channels.has(channelId)) void engine.fetchEntry(channelId)
  const stops = [
    store.watch((event) => {
      if (event.type === 'channelEventReceived' && event.event.event === 'message')
        receiveMessage(event.event.payload.message)
      else if (event.type === 'messageReceived') receiveMessage(event.message)
      else if (event.type === 'changesReceived') {
        for (const message of event.changes.messages) receiveMessage(message)
        revTracker.addRange(event.changes.channel_id, event.after, event.changes.rev)
      }
    }),
    store.subscribe(checkRevs),
    refetchRegularly(list, REFETCH_INTERVAL_MS),
    channelId === null ? () => {} : engine.open(channelId),
  ]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
