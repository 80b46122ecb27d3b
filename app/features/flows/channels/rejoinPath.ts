import { i18n } from '@lingui/core'
import type { ChannelKind } from '../../../../wire/channels.ts'
import type { WorkspaceRole } from '../../../../wire/people.ts'

/** How somebody who has left a channel can rejoin: alone, once it is unarchived, or when someone adds them. */
export type RejoinPath = 'alone' | 'opened' | 'added'

/**
 * Like `join_channel` in the database: members can join public channels alone; guests can't, since they don't see
 * them either.
 */
export function rejoinPath(kind: ChannelKind, archived: boolean, role: WorkspaceRole | null): RejoinPath {
  if (kind !== 'public' || role === 'guest') return 'added'
  return archived ? 'opened' : 'alone'
}

/** The same as a sentence, shown before the reader leaves. */
export function rejoinSentence(path: RejoinPath): string {
  if (path === 'added') return i18n._('You can’t rejoin on your own; someone in the channel has to add you.')
  if (path === 'opened') return i18n._('You can still read it, but you can’t rejoin until it’s unarchived.')
  return i18n._('You can still read it and rejoin at any time.')
}
