import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { leaveChannel } from '../../data/channels/channelCommands.ts'
import { useChannel } from '../../data/channels/channels.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/Form.tsx'
import sheet from '../../ui/Sheet.module.css'
import { isolated } from '../../data/people/isolateBidi.ts'
import { useMe } from '../people/MeContext.ts'
import { comingBack, comingBackWords } from './comingBack.ts'
import { useChannelPeople } from './useChannelPeople.ts'

/** Asks before one leaves, where that can't be undone by oneself or leaves the channel without anyone. */
export default function LeaveChannel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const channel = useChannel(channelId)
  const me = useMe()
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const known = typeof channel === 'string' ? null : channel
  const people = useChannelPeople(channelId, known?.entry.counters.meta_rev ?? 0)
  if (!known) return null
  const isPrivate = known.kind === 'private'
  const name = isolated(known.name)
  const leave = async () => {
    setBusy(true)
    const outcome = await leaveChannel(channelId)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.sentence)
    onClose()
    if (location.pathname.startsWith(`/c/${channelId}`)) navigate('/')
  }
  return (
    <Dialog title={i18n._('Leave {name}', { name })} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={() => void leave()} failure={failure}>
          <p>{comingBackWords(comingBack(known.kind, known.archived, me.role))}</p>
          {people?.length === 1 ? (
            <p>
              {isPrivate
                ? i18n._('You’re the last member. If you leave, nobody will be able to read it.')
                : i18n._('You’re the last member. It stays open for anyone to join.')}
            </p>
          ) : null}
          <div className={sheet.foot}>
            <Button look="quiet" onClick={onClose}>
              {i18n._('Stay')}
            </Button>
            <Button type="submit" look="primary" busy={busy}>
              {i18n._('Leave channel')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
