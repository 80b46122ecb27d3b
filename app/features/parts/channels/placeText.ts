import { i18n } from '@lingui/core'

/** What an address leads to in a conversation. */
export type PlaceKind = 'channel' | 'message' | 'thread' | 'file'

/** Names what an address leads to: "Message in #rota". */
export function placeText(kind: PlaceKind, place: string): string {
  switch (kind) {
    case 'channel':
      return place
    case 'message':
      return i18n._('Message in {place}', { place })
    case 'thread':
      return i18n._('Thread in {place}', { place })
    case 'file':
      return i18n._('File in {place}', { place })
  }
}

/**
 * Stands for what the reader may not see, and for what does not exist: the server does not distinguish the two.
 */
export function unreadableText(kind: PlaceKind): string {
  switch (kind) {
    case 'channel':
      return i18n._('#channel you can’t read')
    case 'message':
      return i18n._('A message you can’t see')
    case 'thread':
      return i18n._('A thread you can’t see')
    case 'file':
      return i18n._('A file you can’t see')
  }
}
