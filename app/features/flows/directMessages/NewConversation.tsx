import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../wire/limits.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { useMembers } from '../../../data/people/people.ts'
import { openDirect } from '../../../data/channels/manageChannels.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { canInvite } from '../../../data/workspaces/workspacePermissions.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { PeoplePicker } from '../../parts/members/PeoplePicker.tsx'
import { findByMembers } from './findByMembers.ts'
import { openToWrite } from './openToWrite.ts'

/** The dialog that starts a conversation with one or more people. If they already have a conversation, it opens. */
export default function NewConversation({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const open = useOverlay()
  const others = useMembers()
    .filter(({ profile, state }) => state === 'active' && profile.id !== me.profile.id)
    .map((member) => member.profile)
  const { directs } = useSidebar()
  const [chosen, setChosen] = useState<string[]>([])
  const existing = chosen.length > 0 ? findByMembers(directs, chosen) : undefined

  if (others.length === 0)
    return (
      <Dialog title={i18n._('New conversation')} position="top" onClose={onClose}>
        <div className={layout.body}>
          <p className="muted">{i18n._('It’s just you so far. Invite someone to get talking.')}</p>
          {canInvite(me) ? (
            <div className={layout.footer}>
              <Button variant="primary" onClick={() => open({ kind: 'invite' })}>
                {i18n._('Invite people')}
              </Button>
            </div>
          ) : null}
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={i18n._('New conversation')}
      position="top"
      action={existing ? i18n._('Open conversation') : i18n._('Start conversation')}
      run={() => openDirect(chosen)}
      isDisabled={chosen.length === 0}
      hasChoices={chosen.length > 0}
      secondAction={
        chosen.length > 0 ? null : { label: i18n._('Notes to yourself'), run: () => openDirect([]) }
      }
      onDone={({ channel }) => openToWrite(channel.id)}
      onClose={onClose}
    >
      <PeoplePicker
        people={others}
        chosen={chosen}
        max={LIMITS.groupConversationPeople - 1}
        submitsOnEnter
        onChange={setChosen}
      />
    </FormDialog>
  )
}
