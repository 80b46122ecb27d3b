import { i18n } from '@lingui/core'
import type { ChannelKind, WorkspaceRole } from '../../../wire/linnet.ts'

/** How one who left a channel comes back: by themselves, once it is opened again, or when someone adds them. */
export type RejoinPath = 'alone' | 'opened' | 'added'

/** As `join_channel` in the database decides: public ones alone, and never for guests, who do not read them either. */
export function rejoinPath(kind: ChannelKind, archived: boolean, role: WorkspaceRole | null): RejoinPath {
  if (kind !== 'public' || role === 'guest') return 'added'
  return archived ? 'opened' : 'alone'
}

/** The same, said before one leaves. */
export function rejoinSentence(path: RejoinPath): string {
  if (path === 'added') return i18n._('You can’t rejoin on your own; someone in the channel has to add you.')
  if (path === 'opened') return i18n._('You can still read it, but you can’t rejoin until it’s unarchived.')
  return i18n._('You can still read it and rejoin at any time.')
}
