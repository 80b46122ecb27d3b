import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { focusFieldOf } from '../../conversation/writing/fieldFocus.ts'

/** Opens a conversation that a person wants to write in: the message field has the focus. */
export function openToWrite(channelId: Uuid): void {
  navigate(pathTo('channel', { channelId }))
  focusFieldOf(channelId)
}
