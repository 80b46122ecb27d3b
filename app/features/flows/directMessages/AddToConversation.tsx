import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { useChannel, useSidebar } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { openDirect } from '../../../data/channels/manageChannels.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { findByMembers } from './findByMembers.ts'
import { openToWrite } from './openToWrite.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { PeoplePicker } from '../../parts/members/PeoplePicker.tsx'

/**
 * Adds people to a direct or group conversation. Its members are fixed, so this starts a new conversation or opens
 * the existing one.
 */
export default function AddToConversation({
  channelId,
  onClose,
}: {
  channelId: string
  onClose: () => void
}) {
  const me = useMe().profile.id
  const channel = useChannel(channelId)
  const { directs } = useSidebar()
  const members = useMembers()
  const [chosen, setChosen] = useState<string[]>([])
  if (typeof channel === 'string') return null

  const currentIds = channel.people.map((person) => person.id)
  const active = members.filter((member) => member.state === 'active')
  const activeIds = currentIds.filter((id) => active.some((member) => member.profile.id === id))
  const others = active
    .map((member) => member.profile)
    .filter((profile) => profile.id !== me && !currentIds.includes(profile.id))
  const memberIds = [...activeIds, ...chosen]
  const existing = chosen.length > 0 ? findByMembers(directs, memberIds) : undefined

  return (
    <FormDialog
      title={i18n._('Add people')}
      position="top"
      action={existing ? i18n._('Open conversation') : i18n._('Start conversation')}
      run={() => openDirect(memberIds)}
      isDisabled={chosen.length === 0}
      hasChoices={chosen.length > 0}
      onDone={({ channel: opened }) => openToWrite(opened.id)}
      onClose={onClose}
    >
      <p className="muted">
        {channel.selfDirect
          ? i18n._('This starts a new conversation. Your notes stay private.')
          : i18n._(
              'This starts a new conversation with {people} and anyone you add. Earlier messages stay here.',
              { people: isolateBidi(channel.name) },
            )}
      </p>
      {activeIds.length < currentIds.length ? (
        <p className="note">{i18n._('Former members won’t be included.')}</p>
      ) : null}
      {others.length === 0 ? (
        <p className="muted">{i18n._('Everyone is already in this conversation.')}</p>
      ) : (
        <PeoplePicker
          people={others}
          chosen={chosen}
          max={LIMITS.groupConversationPeople - 1 - activeIds.length}
          onChange={setChosen}
        />
      )}
      {existing ? (
        <p className="note" role="status">
          {i18n._('You already have a conversation with these people. We’ll open it.')}
        </p>
      ) : null}
    </FormDialog>
  )
}
