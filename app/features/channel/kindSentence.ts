import { i18n } from '@lingui/core'
import type { ChannelKind } from '../../../wire/linnet.ts'

/** Who can find and read a channel, in a sentence. */
export function kindSentence(kind: ChannelKind): string {
  if (kind === 'public') {
    return i18n._('Every member of the workspace can find, read and join it; guests only when added.')
  }
  return i18n._('Only the people added to it can find and read it.')
}
