import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { PendingRestore } from '../../../../wire/administration.ts'
import { confirmRestore } from '../../../data/administration/health.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { SettingsSection } from '../SettingsSection.tsx'
import styles from './RestoreNotice.module.css'

/** States that this restored copy sends nothing to others, and lets an owner confirm that the original is gone. */
export function RestoreNotice({
  restore,
  isOwner,
  onChange,
}: {
  restore: PendingRestore
  isOwner: boolean
  /** Reads the state again: the restore may have been confirmed. */
  onChange: () => void
}) {
  const [isConfirming, setIsConfirming] = useState(false)
  return (
    <div role="alert" className={styles.notice}>
      <SettingsSection title={i18n._('This server was restored from a backup')}>
        <p>
          {restore.recovered_to
            ? i18n._('It has everything up to {time}.', { time: formatDayAndTime(restore.recovered_to) })
            : null}{' '}
          {i18n._(
            'It sends no push notifications and no emails, and nothing to the servers of webhooks, commands and link previews, until an owner confirms that the original server is gone.',
          )}
        </p>
        {isOwner ? (
          <Button variant="primary" onClick={() => setIsConfirming(true)}>
            {i18n._('Confirm the restore')}
          </Button>
        ) : (
          <p className="note">{i18n._('Only an owner can confirm it.')}</p>
        )}
      </SettingsSection>
      {isConfirming ? (
        <ConfirmDialog
          title={i18n._('Is the original server gone?')}
          action={i18n._('Confirm the restore')}
          run={confirmRestore}
          onClose={() => {
            setIsConfirming(false)
            onChange()
          }}
        >
          <p>
            {i18n._(
              'People get everything twice while both servers run. Linnet discards the notifications and emails that were waiting when the backup was made, because the original server has sent them. Linnet now sends the ones that were added since the restore.',
            )}
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}
