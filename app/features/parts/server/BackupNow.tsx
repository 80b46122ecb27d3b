import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import type { BackupStatus } from '../../../../wire/serverSettings.ts'
import { backupStatus, startBackup } from '../../../data/administration/backups.ts'
import { checkAgain } from '../../../data/administration/health.ts'
import { usePolling } from '../../../data/queries/usePolling.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { useAction } from '../../../ui/useAction.ts'
import { explainBackupFailure } from './explainBackupFailure.ts'
import styles from './serverActions.module.css'

/**
 * Makes a backup, and shows the last one.
 * @param onStart called once the server makes the backup
 */
export function BackupNow({ onStart }: { onStart?: () => void }) {
  const { value: status, failure } = useQuery(backupStatus)
  const starting = useAction()
  const isRunning = status?.isRunning === true
  usePolling(backupStatus, isRunning)
  // The report of the server about its backups is older than this one.
  useEffect(() => (isRunning ? () => void checkAgain() : undefined), [isRunning])
  if (failure && !status) return <p role="alert">{failure.message}</p>
  if (!status) return null
  if (!status.isAvailable)
    return (
      <p className="muted">
        {i18n._('A restored copy makes no backups until an owner confirms the restore.')}
      </p>
    )
  const start = async () => {
    if (await starting.run(startBackup)) onStart?.()
  }
  return (
    <div className={styles.result}>
      <Button busy={starting.busy || isRunning} onClick={() => void start()}>
        {isRunning ? i18n._('Making a backup…') : i18n._('Back up now')}
      </Button>
      <div role="status">
        {isRunning ? (
          <p className="muted">{i18n._('The server continues, even if you leave this page.')}</p>
        ) : (
          <LastBackup status={status} />
        )}
      </div>
      {starting.failure ? <p role="alert">{starting.failure}</p> : null}
    </div>
  )
}

function LastBackup({ status: { last, failure } }: { status: BackupStatus }) {
  const explanation = failure && explainBackupFailure(failure.reason)
  return (
    <>
      {failure ? (
        <p>
          {i18n._('The backup at {time} failed.', { time: formatDayAndTime(failure.at) })} {explanation}
        </p>
      ) : null}
      {failure && explanation === null ? (
        <p lang="en" dir="ltr">
          <q>{failure.reason}</q>
        </p>
      ) : null}
      {last ? (
        <p className={failure ? 'muted' : undefined}>
          {i18n._('The last backup is from {time}.', { time: formatDayAndTime(last.at) })}{' '}
          {i18n._('It added {size} to {folder}.', { size: formatBytes(last.addedBytes), folder: last.dir })}
        </p>
      ) : null}
      {last?.hasCommandFailed ? <p>{i18n._('The command that copies the backups failed.')}</p> : null}
    </>
  )
}
