import { i18n } from '@lingui/core'
import { conversationIn, pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { leaveChannel } from '../../../data/channels/manageChannels.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { rejoinPath, rejoinSentence } from './rejoinPath.ts'
import { channelPeople } from '../../../data/channels/channelPeople.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'

/** Confirms leaving where the reader can't rejoin alone, or is the last member. */
export default function LeaveChannel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const channel = useChannel(channelId)
  const me = useMe()
  const view = typeof channel === 'string' ? null : channel
  const { value: people } = useQuery(view && channelPeople, [channelId], {
    revision: view?.entry.counters.meta_rev,
  })
  if (!view) return null
  const isPrivate = view.kind === 'private'
  const name = isolateBidi(view.name)
  return (
    <ConfirmDialog
      title={i18n._('Leave {name}', { name })}
      action={i18n._('Leave channel')}
      run={() => leaveChannel(channelId)}
      isDestructive
      cancelLabel={i18n._('Stay')}
      onDone={() => {
        if (conversationIn(location.pathname).channelId === channelId) navigate(pathTo('home'))
      }}
      onClose={onClose}
    >
      <p>{rejoinSentence(rejoinPath(view.kind, view.archived, me.role))}</p>
      {people?.length === 1 ? (
        <p>
          {isPrivate
            ? i18n._('You’re the last member. If you leave, nobody will be able to read it.')
            : i18n._('You’re the last member. It stays open for anyone to join.')}
        </p>
      ) : null}
    </ConfirmDialog>
  )
}
