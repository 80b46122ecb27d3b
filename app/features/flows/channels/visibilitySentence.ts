import { i18n } from '@lingui/core'
import type { ChannelKind } from '../../../../wire/channels.ts'

/** Who can find and read a channel of this kind. */
export function visibilitySentence(kind: ChannelKind): string {
  if (kind === 'public') {
    return i18n._('Anyone in the workspace can find, read and join it. Guests need to be added.')
  }
  return i18n._('Only people who are added can find and read it.')
}
