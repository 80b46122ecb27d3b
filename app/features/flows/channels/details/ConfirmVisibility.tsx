import { i18n } from '@lingui/core'
import { useState } from 'react'
import { updateChannel } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { useMembers } from '../../../../data/people/people.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import type { ChannelPerson } from '../../../../data/channels/channelPeople.ts'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'

/** Names listed in full; more are summed up in a number. */
const MAX_NAMED = 3

interface Props {
  channel: ChannelWithPermissions
  people: ChannelPerson[] | undefined
  onClose: () => void
}

/** Lists who gains or loses access to the channel before the change is made. */
export function ConfirmVisibility({ channel, people, onClose }: Props) {
  const memberIds = new Set(people?.map((person) => person.profile_id))
  const outside = useMembers().filter(
    ({ profile, role, state }) => state === 'active' && role !== 'guest' && !memberIds.has(profile.id),
  )
  // The channel changes before the dialog is closed.
  const [toPublic] = useState(channel.kind === 'private')
  const who = listPeople(outside.map((member) => member.profile.name))
  const count = outside.length
  const sentences = toPublic
    ? [
        count === 0
          ? i18n._('Everyone in the workspace is already a member. New members will be able to find it.')
          : i18n._(
              '{who} will be able to find, read and join it, and so will anyone who joins the workspace later.',
              {
                who,
              },
            ),
        i18n._(
          'They’ll see the full history, including files. You can’t undo that for anyone who has already seen it.',
        ),
      ]
    : [
        count === 0
          ? i18n._(
              'Everyone in the workspace is already a member. People who join later will have to be added.',
            )
          : i18n._('{who} will lose access right away, unless someone in the channel adds them.', { who }),
        i18n._('Current members keep access to everything.'),
      ]
  return (
    <ConfirmDialog
      title={toPublic ? i18n._('Make this channel public') : i18n._('Make this channel private')}
      action={toPublic ? i18n._('Make public') : i18n._('Make private')}
      run={() => updateChannel(channel.id, { kind: toPublic ? 'public' : 'private' })}
      onClose={onClose}
    >
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  )
}

/** "Bea, Noor and 4 more people". */
function listPeople(names: readonly string[]): string {
  const listed = names.slice(0, names.length > MAX_NAMED + 1 ? MAX_NAMED : MAX_NAMED + 1).map(isolateBidi)
  const more = names.length - listed.length
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  if (more === 0) return list.format(listed)
  return list.format([
    ...listed,
    i18n._('{more, plural, one {# more person} other {# more people}}', { more }),
  ])
}
