import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { useChannel, useSidebar } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { openDirect } from '../../../data/channels/manageChannels.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { findByMembers } from './findByMembers.ts'
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
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  if (typeof channel === 'string') return null

  const currentIds = channel.people.map((person) => person.id)
  const active = members.filter((member) => member.state === 'active')
  const activeIds = currentIds.filter((id) => active.some((member) => member.profile.id === id))
  const others = active
    .map((member) => member.profile)
    .filter((profile) => profile.id !== me && !currentIds.includes(profile.id))
  const memberIds = [...activeIds, ...chosen]
  const existing = chosen.length > 0 ? findByMembers(directs, memberIds) : undefined

  const start = async () => {
    if (chosen.length === 0 || busy) return
    setBusy(true)
    const outcome = await openDirect(memberIds)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    onClose()
    navigate(pathTo('channel', { channelId: outcome.value.channel.id }))
  }

  return (
    <Dialog title={i18n._('Add people')} position="top" onClose={onClose}>
      <div className={layout.body}>
        <p className={layout.muted}>
          {channel.selfDirect
            ? i18n._('This starts a new conversation. Your notes stay private.')
            : i18n._(
                'This starts a new conversation with {people} and anyone you add. Earlier messages stay here.',
                { people: isolateBidi(channel.name) },
              )}
        </p>
        {activeIds.length < currentIds.length ? (
          <p className={layout.small}>{i18n._('Former members won’t be included.')}</p>
        ) : null}
        <Form onSubmit={() => void start()} failure={failure}>
          {others.length === 0 ? (
            <p className={layout.muted}>{i18n._('Everyone is already in this conversation.')}</p>
          ) : (
            <PeoplePicker
              people={others}
              chosen={chosen}
              max={LIMITS.groupConversationPeople - 1 - activeIds.length}
              onChange={setChosen}
            />
          )}
          {existing ? (
            <p className={layout.small} role="status">
              {i18n._('You already have a conversation with these people. We’ll open it.')}
            </p>
          ) : null}
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" variant="primary" busy={busy} disabled={chosen.length === 0}>
              {existing ? i18n._('Open conversation') : i18n._('Start conversation')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
