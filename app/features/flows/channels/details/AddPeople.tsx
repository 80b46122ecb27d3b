import { i18n } from '@lingui/core'
import { useState } from 'react'
import { addMembers } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { useMembers } from '../../../../data/people/people.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { Skeleton } from '../../../../ui/Skeleton.tsx'
import { PeoplePicker } from '../../../parts/members/PeoplePicker.tsx'
import type { ChannelPerson } from '../../../../data/channels/channelPeople.ts'

interface Props {
  channel: ChannelWithPermissions
  people: ChannelPerson[] | undefined
  onBack: () => void
}

/** Adds members of the workspace to a channel. */
export function AddPeople({ channel, people, onBack }: Props) {
  const memberIds = new Set(people?.map((person) => person.profile_id))
  const others = useMembers()
    .filter(({ profile, state }) => state === 'active' && !memberIds.has(profile.id))
    .map((member) => member.profile)
  const [chosen, setChosen] = useState<string[]>([])
  return (
    <FormDialog
      title={i18n._('Add people to {name}', { name: isolateBidi(`#${channel.name}`) })}
      position="top"
      action={
        chosen.length > 0
          ? i18n._('Add {count, plural, one {# person} other {# people}}', { count: chosen.length })
          : i18n._('Add')
      }
      run={() => addMembers(channel.id, chosen)}
      isDisabled={chosen.length === 0}
      cancelLabel={i18n._('Back')}
      hasChoices={chosen.length > 0}
      onClose={onBack}
    >
      <p className="muted">{i18n._('They’ll see the full history. Guests only see messages from now on.')}</p>
      {people === null ? (
        <Skeleton label={i18n._('Loading the people')} shape="lines" rows={4} />
      ) : others.length === 0 ? (
        <p className="muted">{i18n._('Everyone is already a member.')}</p>
      ) : (
        <PeoplePicker people={others} chosen={chosen} max={1_000} onChange={setChosen} />
      )}
    </FormDialog>
  )
}
