import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { leaveWorkspace } from '../../../data/administration/administerPeople.ts'
import { success } from '../../../data/failures/failures.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { RemoveDialog } from '../../../features/parts/overlays/RemoveDialog.tsx'

/** Leaves the workspace, after a confirmation. */
export function LeaveWorkspace() {
  const { workspace } = useMe()
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <Button onClick={() => setConfirming(true)}>{i18n._('Leave workspace')}</Button>
      {isConfirming ? (
        <RemoveDialog
          title={i18n._('Leave {name}?', { name: workspace.name })}
          text={i18n._(
            'You lose access to all channels at once. Your messages stay under your name. To come back, you need a new invitation.',
          )}
          label={i18n._('Leave workspace')}
          doneText={i18n._('You’ve left the workspace.')}
          remove={async () => {
            const outcome = await leaveWorkspace()
            return outcome.ok ? success(undefined) : outcome
          }}
          onDone={() => location.assign(pathTo('home'))}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </>
  )
}
