import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../../wire/linnet.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { useMembers } from '../../../data/people/people.ts'
import { openDirect } from '../../../data/people/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import sheet from '../../../ui/Sheet.module.css'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { canInvite } from '../canInvite.ts'
import { useMe } from '../MeContext.ts'
import { PeoplePicker } from '../PeoplePicker.tsx'
import { sameConversation } from './sameConversation.ts'

/** A conversation with one person or a few; the same people always find the same one. */
export default function NewConversation({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const open = useOverlay()
  const [, navigate] = useLocation()
  const others = useMembers()
    .filter(({ profile, state }) => state === 'active' && profile.id !== me.profile.id)
    .map((member) => member.profile)
  const { directs } = useSidebar()
  const [chosen, setChosen] = useState<string[]>([])
  const known = chosen.length > 0 ? sameConversation(directs, chosen) : undefined
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const write = async (people: string[]) => {
    setBusy(true)
    const outcome = await openDirect(people)
    setBusy(false)
    if (!outcome.ok) return setFailure(outcome.failure.sentence)
    onClose()
    navigate(`/c/${outcome.value.channel.id}`)
  }

  const start = () => {
    if (chosen.length > 0 && !busy) void write(chosen)
  }

  return (
    <Dialog title={i18n._('New conversation')} place="high" onClose={onClose}>
      <div className={sheet.body}>
        {others.length === 0 ? (
          <>
            <p className={sheet.soft}>{i18n._('It’s just you so far. Invite someone to get talking.')}</p>
            {canInvite(me.role) ? (
              <div className={sheet.foot}>
                <Button look="primary" onClick={() => open({ kind: 'invite' })}>
                  {i18n._('Invite people')}
                </Button>
              </div>
            ) : null}
          </>
        ) : (
          <Form onSubmit={start} failure={failure}>
            <PeoplePicker
              people={others}
              chosen={chosen}
              most={LIMITS.groupPeople - 1}
              onChange={setChosen}
            />
            <div className={sheet.foot}>
              {chosen.length > 0 ? null : (
                <Button look="quiet" onClick={() => void write([])}>
                  {i18n._('Notes to yourself')}
                </Button>
              )}
              <Button type="submit" look="primary" busy={busy} disabled={chosen.length === 0}>
                {known ? i18n._('Open conversation') : i18n._('Start conversation')}
              </Button>
            </div>
          </Form>
        )}
      </div>
    </Dialog>
  )
}
