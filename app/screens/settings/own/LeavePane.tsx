import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { leaveWorkspace } from '../../../data/administration/administerPeople.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { PaneFrame } from '../PaneFrame.tsx'

/** Leaves the workspace, after a confirmation. */
export default function LeavePane() {
  const { workspace } = useMe()
  const [isConfirming, setConfirming] = useState(false)
  const consequence = i18n._(
    'You lose access to all channels right away. Your messages stay under your name. To come back, you need a new invitation.',
  )
  return (
    <PaneFrame hint={consequence}>
      <div>
        <Button variant="danger" onClick={() => setConfirming(true)}>
          {i18n._('Leave workspace')}
        </Button>
      </div>
      {isConfirming ? (
        <ConfirmDialog
          title={i18n._('Leave {name}?', { name: workspace.name })}
          text={consequence}
          action={i18n._('Leave workspace')}
          isDestructive
          doneText={i18n._('You’ve left the workspace.')}
          run={() => leaveWorkspace()}
          onDone={() => location.assign(pathTo('home'))}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </PaneFrame>
  )
}
