import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../../wire/linnet.ts'
import { useChannel, useSidebar } from '../../../data/channels/channels.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { useMembers } from '../../../data/people/people.ts'
import { openDirect } from '../../../data/people/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import sheet from '../../../ui/Sheet.module.css'
import { sameConversation } from './sameConversation.ts'
import { useMe } from '../MeContext.ts'
import { PeoplePicker } from '../PeoplePicker.tsx'

/** More people for a conversation: its people are fixed, so a new one begins, or the one they have is opened. */
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
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  if (typeof channel === 'string') return null

  const inside = channel.people.map((person) => person.id)
  const active = members.filter((member) => member.state === 'active')
  const staying = inside.filter((id) => active.some((member) => member.profile.id === id))
  const others = active
    .map((member) => member.profile)
    .filter((profile) => profile.id !== me && !inside.includes(profile.id))
  const together = [...staying, ...chosen]
  const known = chosen.length > 0 ? sameConversation(directs, together) : undefined

  const start = async () => {
    if (chosen.length === 0 || busy) return
    setBusy(true)
    const outcome = await openDirect(together)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.sentence)
    onClose()
    navigate(`/c/${outcome.value.channel.id}`)
  }

  return (
    <Dialog title={i18n._('Add people')} place="high" onClose={onClose}>
      <div className={sheet.body}>
        <p className={sheet.soft}>
          {channel.notebook
            ? i18n._('This starts a new conversation. Your notes stay private.')
            : i18n._(
                'This starts a new conversation with {people} and anyone you add. Earlier messages stay here.',
                { people: isolated(channel.name) },
              )}
        </p>
        {staying.length < inside.length ? (
          <p className={sheet.small}>{i18n._('Former members won’t be included.')}</p>
        ) : null}
        <Form onSubmit={() => void start()} failure={failure}>
          {others.length === 0 ? (
            <p className={sheet.soft}>{i18n._('Everyone is already in this conversation.')}</p>
          ) : (
            <PeoplePicker
              people={others}
              chosen={chosen}
              most={LIMITS.groupPeople - 1 - staying.length}
              onChange={setChosen}
            />
          )}
          {known ? (
            <p className={sheet.small} role="status">
              {i18n._('You already have a conversation with these people. We’ll open it.')}
            </p>
          ) : null}
          <div className={sheet.foot}>
            <Button look="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" look="primary" busy={busy} disabled={chosen.length === 0}>
              {known ? i18n._('Open conversation') : i18n._('Start conversation')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
