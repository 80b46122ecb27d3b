import { i18n } from '@lingui/core'
import { useEffect } from 'react'
import type { BackupStatus } from '../../../../wire/serverSettings.ts'
import { backupStatus, startBackup } from '../../../data/administration/backups.ts'
import { checkAgain } from '../../../data/administration/health.ts'
import { usePolling } from '../../../data/queries/usePolling.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { useAction } from '../../../ui/useAction.ts'
import { explainBackupFailure } from './explainBackupFailure.ts'
import styles from './serverActions.module.css'

interface Props {
  /** Called after the server has started the backup. */
  onStart?: () => void
}

/** Makes a backup, and shows the last one. */
export function BackupNow({ onStart }: Props) {
  const query = useQuery(backupStatus)
  const isRunning = query.value?.isRunning === true
  usePolling(backupStatus, isRunning)
  // The report of the server about its backups is older than this one.
  useEffect(() => (isRunning ? () => void checkAgain() : undefined), [isRunning])
  return (
    <QueryContent query={query} loading={i18n._('Loading…')}>
      {(status) =>
        status.isAvailable ? (
          <Backup status={status} onStart={onStart} />
        ) : (
          <p className="muted">
            {i18n._(
              'This server is a restored copy. It makes no backups until you confirm the restore under “Server health”.',
            )}
          </p>
        )
      }
    </QueryContent>
  )
}

function Backup({ status, onStart }: Props & { status: BackupStatus }) {
  const starting = useAction()
  const start = async () => {
    if (await starting.run(startBackup)) onStart?.()
  }
  return (
    <>
      <div>
        <Button busy={starting.busy || status.isRunning} onClick={() => void start()}>
          {status.isRunning ? i18n._('Making a backup…') : i18n._('Back up now')}
        </Button>
      </div>
      <div className={styles.result}>
        <div role="status">
          {status.isRunning ? (
            <p className="muted">{i18n._('The backup continues in the background.')}</p>
          ) : (
            <LastBackup status={status} />
          )}
        </div>
        {starting.failure ? <p role="alert">{starting.failure}</p> : null}
      </div>
    </>
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
          {i18n._('It’s in {folder} and takes up an additional {size}.', {
            size: formatBytes(last.addedBytes),
            folder: last.dir,
          })}
        </p>
      ) : null}
      {last?.hasCommandFailed ? <p>{i18n._('The command that copies the backups failed.')}</p> : null}
    </>
  )
}
