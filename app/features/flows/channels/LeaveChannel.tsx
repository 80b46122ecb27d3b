import { i18n } from '@lingui/core'
import { useState } from 'react'
import { conversationIn, pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { leaveChannel } from '../../../data/channels/manageChannels.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { rejoinPath, rejoinSentence } from './rejoinPath.ts'
import { channelPeople } from '../../../data/channels/channelPeople.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'

/** Confirms leaving where the reader can't rejoin alone, or is the last member. */
export default function LeaveChannel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const channel = useChannel(channelId)
  const me = useMe()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const view = typeof channel === 'string' ? null : channel
  const { value: people } = useQuery(view && channelPeople, [channelId], {
    revision: view?.entry.counters.meta_rev,
  })
  if (!view) return null
  const isPrivate = view.kind === 'private'
  const name = isolateBidi(view.name)
  const leave = async () => {
    setBusy(true)
    const outcome = await leaveChannel(channelId)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    onClose()
    if (conversationIn(location.pathname).channelId === channelId) navigate(pathTo('home'))
  }
  return (
    <Dialog title={i18n._('Leave {name}', { name })} onClose={onClose}>
      <div className={layout.body}>
        <Form onSubmit={() => void leave()} failure={failure}>
          <p>{rejoinSentence(rejoinPath(view.kind, view.archived, me.role))}</p>
          {people?.length === 1 ? (
            <p>
              {isPrivate
                ? i18n._('You’re the last member. If you leave, nobody will be able to read it.')
                : i18n._('You’re the last member. It stays open for anyone to join.')}
            </p>
          ) : null}
          <div className={layout.footer}>
            <Button variant="quiet" onClick={onClose}>
              {i18n._('Stay')}
            </Button>
            <Button type="submit" variant="danger" busy={busy}>
              {i18n._('Leave channel')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
