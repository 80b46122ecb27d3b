import { i18n } from '@lingui/core'
import { useNamedChannel } from '../../../data/channels/channelNames.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useWorkspaces } from '../../../data/workspaces/workspaces.ts'
import { useMe } from '../members/MeContext.ts'
import { titleOf } from './titleOf.ts'

export interface ChannelPlace {
  /** "#rota", or the people of a conversation. */
  title: string
  /** The name of its workspace if another one is shown; else null. */
  elsewhere: string | null
}

/** Title and workspace of a channel of any workspace; null if the reader may not read it, undefined until that is known. */
export function useChannelPlace(id: string): ChannelPlace | null | undefined {
  const named = useNamedChannel(id)
  const channel = useChannel(id)
  const shown = useMe().workspace.id
  const workspaces = useWorkspaces()
  if (!named) return named
  const title =
    typeof channel !== 'string'
      ? titleOf(channel)
      : named.name === null
        ? i18n._('a conversation')
        : `#${named.name}`
  if (named.workspace_id === shown) return { title: isolateBidi(title), elsewhere: null }
  const workspace = workspaces.find(({ id: one }) => one === named.workspace_id)
  return { title: isolateBidi(title), elsewhere: workspace?.name ?? '…' }
}
